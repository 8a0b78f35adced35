// Rows that people write, delete and restore, and their histories.

import assert from 'node:assert/strict'
import { type Act, day, hour, type LifePart, type World } from '../world.ts'

/** As the schema of `life.ts` says. */
const keep = 2 * day
const historyKeep = 5 * day

interface Note {
  id: string
  /** When it was written last. */
  writtenAt: number
  deletedAt: number | null
}

export class Notes implements LifePart {
  /** The changes that the feed and the webhook have, in their order. */
  readonly created: { id: string; at: number }[] = []
  readonly acts: readonly Act[]
  readonly looks: readonly Act[]
  readonly #notes: Note[] = []
  readonly #world: World

  constructor(world: World) {
    this.#world = world
    const [write, remove] = [() => this.write(), () => this.#remove()]
    this.looks = [() => this.#restore(), () => this.#readHistory()]
    this.acts = [write, write, remove, remove, ...this.looks]
  }

  async write(): Promise<void> {
    const { random, elapsed } = this.#world
    const note = random.chance(0.5) ? undefined : this.#living()
    if (note === undefined) {
      await this.create('new')
      return
    }
    await this.#world.request('PATCH', `/notes/${note.id}`, { text: `at ${elapsed}` }, 200)
    note.writtenAt = elapsed
  }

  async create(text: string, headers: Record<string, string> = {}): Promise<string> {
    const { elapsed } = this.#world
    const { id } = (await this.#world.request('POST', '/notes', { text }, 201, headers)).body
    this.#notes.push({ id, writtenAt: elapsed, deletedAt: null })
    this.created.push({ id, at: elapsed })
    return id
  }

  async #remove(): Promise<void> {
    const note = this.#living()
    if (note === undefined) return
    await this.#world.request('DELETE', `/notes/${note.id}`, undefined, 204)
    note.deletedAt = this.#world.elapsed
  }

  async #restore(): Promise<void> {
    const { random, elapsed } = this.#world
    const note = random.find(this.#notes, ({ deletedAt }) => deletedAt !== null)
    if (note === undefined) return
    const age = elapsed - note.deletedAt!
    const { status } = await this.#world.request('POST', `/notes/${note.id}/restorations`)
    if (age < keep) assert.equal(status, 200, `a note that was deleted ${age / hour} h ago can't be restored`)
    if (status === 200) [note.deletedAt, note.writtenAt] = [null, elapsed]
    else this.#notes.splice(this.#notes.indexOf(note), 1)
  }

  async #readHistory(): Promise<void> {
    const { elapsed, random, retention } = this.#world
    const since = elapsed - Math.max(historyKeep, retention)
    const note = random.find(this.#notes, ({ deletedAt, writtenAt }) => deletedAt === null && writtenAt > since)
    if (note === undefined) return
    const age = elapsed - note.writtenAt
    assert.ok((await this.#historyOf(note)) > 0, `a change that is ${age / hour} h old is not in the history`)
  }

  async #historyOf({ id }: Note): Promise<number> {
    const { text } = await this.#world.request('GET', `/notes/${id}/changes`, undefined, 200)
    return (JSON.parse(text) as { edges: unknown[] }).edges.length
  }

  async checkGone(): Promise<void> {
    for (const { id, deletedAt } of this.#notes) {
      if (deletedAt === null) continue
      const { status } = await this.#world.request('POST', `/notes/${id}/restorations`)
      const age = (this.#world.elapsed - deletedAt) / day
      assert.ok(status === 404 || status === 410, `a deleted note is still there after ${age} days`)
    }
  }

  #living(): Note | undefined {
    return this.#world.random.find(this.#notes, ({ deletedAt }) => deletedAt === null)
  }
}
