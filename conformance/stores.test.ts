// The two stores agree: random contracts and requests, good and bad ones, are sent to both, and status and body are compared.
// Ids and cursors that the server made are told apart by the order in which they first come; of times and of what is a hash of
// these it counts that they are there. TWAIN_PROPERTY_RUNS makes it longer;
// a failure prints the seed, and TWAIN_PROPERTY_SEED runs it again.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Draw } from './draw.ts'
import { type Asking, type Faces, openFaces } from './open-faces.ts'
import { Oracle } from './oracle.ts'
import { question } from './random-questions.ts'
import { drawSketch, sketchSdl } from './random-sketch.ts'
import { change, fill } from './random-writes.ts'
import { spoil } from './spoil.ts'

const runs = Number(process.env.TWAIN_PROPERTY_RUNS ?? 25)
const seed = process.env.TWAIN_PROPERTY_SEED
const wanted = runs >= 25 ? 2000 : 0
const questions = 30

test('both stores answer every request alike', { timeout: runs * 30_000 }, async (context) => {
  let asked = 0
  const statuses = new Map<number, number>()
  await fc.assert(
    fc.asyncProperty(fc.gen(), async (value) => {
      const draw = new Draw(value)
      const oracle = new Oracle(drawSketch(draw))
      const sdl = sketchSdl(oracle.sketch)
      const [sqlite, postgres] = await Promise.all([open(sdl, 'sqlite'), open(sdl, 'postgres')])
      const both = compared(sqlite, postgres, draw, (status) => {
        asked++
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      })
      try {
        await fill(draw, both, oracle)
        await change(draw, both, oracle)
        for (let round = 0; round < questions; round++) await question(draw, both, oracle)
      } catch (error) {
        throw new Error(`with the contract\n${sdl}\n${error instanceof Error ? error.message : error}`, {
          cause: error,
        })
      } finally {
        await Promise.all([sqlite.close(), postgres.close()])
      }
    }),
    { numRuns: runs, endOnFailure: runs <= 40, ...(seed === undefined ? {} : { seed: Number(seed) }) },
  )
  const counts = [...statuses].toSorted(([a], [b]) => a - b).map(([status, count]) => `${count} × ${status}`)
  context.diagnostic(`${asked} requests: ${counts.join(', ')}`)
  assert.ok(asked >= wanted, `only ${asked}`)
})

const open = (sdl: string, on: 'sqlite' | 'postgres') => openFaces(sdl, { cost: 0, depth: 0 }, undefined, undefined, on)

/** SQLite's faces, each of whose answers PostgreSQL must give too; and beside each request one that is spoilt. */
function compared(sqlite: Faces, postgres: Faces, draw: Draw, note: (status: number) => void): Faces {
  const names = new Names()
  const same = async (what: unknown, [left, right]: readonly [Promise<Reply>, Promise<Reply>]): Promise<Reply> => {
    const [one, other] = await Promise.all([left, right])
    note(one.status)
    assert.deepEqual(names.tell(other, 'postgres'), names.tell(one, 'sqlite'), `for ${JSON.stringify(what)}`)
    return one
  }
  const asking: Asking = {
    async rest(method, path, body, headers) {
      const ask = (...[how, where, what]: [string, string, unknown]) =>
        same(
          [how, where, what],
          [
            sqlite.rest(how, where, what, headers),
            postgres.rest(how, names.swap(where) as string, names.swap(what), headers),
          ],
        )
      const bad = spoil(draw, { method, path, body })
      if (bad !== null) await ask(bad.method, bad.path, bad.body)
      return (await ask(method, path, body)) as Awaited<ReturnType<Asking['rest']>>
    },
    async graphql(query, variables) {
      const answer = await same(
        [query, variables],
        [sqlite.graphql(query, variables), postgres.graphql(names.swap(query) as string, names.swap(variables))],
      )
      return answer as Awaited<ReturnType<Asking['graphql']>>
    },
  }
  return { ...sqlite, ...asking, asked: sqlite.asked }
}

type Reply = { status: number }

/** Ids that a server makes (UUIDs of version 7), and cursors, of the two stores: the n-th of one is the n-th of the other. */
class Names {
  readonly #numbers = { sqlite: new Map<string, number>(), postgres: new Map<string, number>() }

  /** What was sent to SQLite, in the ids of PostgreSQL. */
  swap(value: unknown): unknown {
    if (value === undefined) return undefined
    const theirs = [...this.#numbers.postgres.keys()]
    const text = JSON.stringify(value).replace(made, (id) => theirs[this.#numbers.sqlite.get(id) ?? -1] ?? id)
    return JSON.parse(text)
  }

  tell(reply: unknown, store: 'sqlite' | 'postgres'): unknown {
    const numbers = this.#numbers[store]
    const text = JSON.stringify(reply)
      .replace(made, (id) => {
        if (!numbers.has(id)) numbers.set(id, numbers.size)
        return `id ${numbers.get(id)}`
      })
      .replace(etag, '"etag":""')
      .replace(time, 'time')
    return JSON.parse(text)
  }
}

const made = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}|\b[\w-]{8,}\.[0-9a-f]{10}\b/g
const etag = /"etag":"(?:W\/)?\\"[\w-]+\\""/g
/** Of now: what a test gives is older. */
const time = new RegExp(`${new Date().getFullYear()}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z`, 'g')
