// Requests that are repeated with their idempotency keys, and readers of the feed that come back with their cursors.

import assert from 'node:assert/strict'
import { type Act, day, hour, type LifePart, type World } from '../world.ts'
import type { Notes } from './notes.ts'

const keyKeep = day

export class Repeats implements LifePart {
  readonly acts: readonly Act[]
  readonly looks: readonly Act[]
  /** The last ones: younger than `keyKeep`, or looked for at the end. */
  readonly #keyed: { key: string; id: string; at: number }[] = []
  readonly #cursors: { cursor: string; at: number; seen: number }[] = []
  readonly #oldCursors: string[] = []
  readonly #world: World
  readonly #notes: Notes

  constructor(world: World, notes: Notes) {
    this.#world = world
    this.#notes = notes
    this.looks = [() => this.#repeatKeyed(), () => this.#followCursor()]
    this.acts = [() => this.#createKeyed(), () => this.#takeCursor(), ...this.looks]
  }

  async #createKeyed(): Promise<void> {
    const key = `key-${this.#world.requests}`
    const at = this.#world.elapsed
    this.#keyed.push({ key, id: await this.#notes.create(key, { 'idempotency-key': key }), at })
  }

  async #repeatKeyed(): Promise<void> {
    const isYoung = ({ at }: { at: number }) => this.#world.elapsed - at < keyKeep
    const one = this.#world.random.find(this.#keyed, isYoung)
    if (one === undefined) return
    const age = (this.#world.elapsed - one.at) / hour
    assert.equal(await this.#repeat(one.key), one.id, `a request with a key that is ${age} h old was made twice`)
  }

  async #repeat(key: string): Promise<string> {
    const headers = { 'idempotency-key': key }
    return (await this.#world.request('POST', '/notes', { text: key }, 201, headers)).body.id
  }

  async #takeCursor(): Promise<void> {
    const { cursor } = await this.#changes()
    this.#cursors.push({ cursor, at: this.#world.elapsed, seen: this.#notes.created.length })
  }

  async #followCursor(): Promise<void> {
    const one = this.#world.random.find(this.#cursors, () => true)
    if (one === undefined) return
    const { created } = this.#notes
    const age = this.#world.elapsed - one.at
    if (age >= this.#world.retention) {
      this.#cursors.splice(this.#cursors.indexOf(one), 1)
      if (one.seen < created.length) this.#oldCursors.push(one.cursor)
      return
    }
    const missing = new Set(created.slice(one.seen).map(({ id }) => id))
    let { cursor } = one
    for (;;) {
      const page = await this.#changes(cursor)
      for (const id of page.subjects) missing.delete(id)
      if (page.subjects.length === 0) break
      cursor = page.cursor
    }
    assert.deepEqual([...missing], [], `changes are missing behind a cursor that is ${age / hour} h old`)
  }

  /** A page of the feed. Without a position: its end. */
  async #changes(after = 'now'): Promise<{ cursor: string; subjects: string[] }> {
    const { status, text } = await this.#read(after)
    assert.equal(status, 200, `a cursor is refused: ${text}`)
    const { edges, pageInfo } = JSON.parse(text) as {
      edges: { node: { subject: string } }[]
      pageInfo: { endCursor: string }
    }
    return { cursor: pageInfo.endCursor, subjects: edges.map(({ node }) => node.subject) }
  }

  #read(after: string) {
    const path = `/changes?first=100&resource=notes&after=${encodeURIComponent(after)}`
    return this.#world.request('GET', path)
  }

  async checkGone(): Promise<void> {
    for (const cursor of this.#oldCursors.slice(-5))
      assert.equal((await this.#read(cursor)).status, 410, 'the log still has changes of long ago')
    for (const { key, id } of this.#keyed.slice(-5))
      assert.notEqual(await this.#repeat(key), id, 'an old key is still known')
  }
}
