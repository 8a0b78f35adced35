// The two stores agree: random schemas and requests, good and bad ones, are sent to both, and status and body are compared.
// TWAIN_PROPERTY_RUNS makes it longer; a failure prints the seed, and TWAIN_PROPERTY_SEED runs it again.
// stores: sqlite + postgres
// all samples: sqlite + postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { StoreName } from '../../packages/twain/src/store/test-place.fixture.ts'
import { corruptRequest } from '../generate/corrupt-request.ts'
import { Draw } from '../generate/draw.ts'
import { Oracle } from '../generate/oracle.ts'
import { compareRandomQuery } from '../generate/random-queries.ts'
import { drawSchema, schemaSdl } from '../generate/random-schema.ts'
import { changeRandomRows, writeRandomRows } from '../generate/random-writes.ts'
import { propertyRuns } from '../generate/samples.ts'
import { propertySeed } from '../generate/seed.ts'
import { type ApiClient, openApis, type TestApis } from '../harness/open-apis.ts'
import { IdNormalizer } from './normalize-ids.ts'

const runs = propertyRuns(2, 12)
const expected = runs >= 6 ? runs * 60 : 0
const questions = 30

test('both stores answer every request alike', { timeout: runs * 30_000 }, async (context) => {
  let sent = 0
  const statuses = new Map<number, number>()
  await fc.assert(
    fc.asyncProperty(fc.gen(), async (value) => {
      const draw = new Draw(value)
      const oracle = new Oracle(drawSchema(draw))
      const sdl = schemaSdl(oracle.sketch)
      const [sqlite, postgres] = await Promise.all([open(sdl, 'sqlite'), open(sdl, 'postgres')])
      const both = compared(sqlite, postgres, draw, (status) => {
        sent++
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      })
      try {
        await writeRandomRows(draw, both, oracle)
        await changeRandomRows(draw, both, oracle)
        for (let round = 0; round < questions; round++) await compareRandomQuery(draw, both, oracle)
      } catch (error) {
        throw new Error(`with the schema\n${sdl}\n${error instanceof Error ? error.message : error}`, {
          cause: error,
        })
      } finally {
        await Promise.all([sqlite.close(), postgres.close()])
      }
    }),
    { numRuns: runs, endOnFailure: runs <= 40, seed: propertySeed },
  )
  const counts = [...statuses].toSorted(([a], [b]) => a - b).map(([status, count]) => `${count} × ${status}`)
  context.diagnostic(`${sent} requests: ${counts.join(', ')}`)
  assert.ok(sent >= expected, `only ${sent}`)
})

const open = (sdl: string, on: StoreName) => openApis(sdl, { cost: 0, depth: 0 }, undefined, undefined, on)

/** The APIs on SQLite, whose answers PostgreSQL must give too; each request is also sent in a corrupt form. */
function compared(sqlite: TestApis, postgres: TestApis, draw: Draw, note: (status: number) => void): TestApis {
  const names = new IdNormalizer()
  const normalized = (reply: Reply, store: StoreName) =>
    JSON.parse(names.normalize(JSON.stringify(reply), store)) as unknown
  const swap = (sent: unknown): unknown =>
    sent === undefined ? undefined : JSON.parse(names.swap(JSON.stringify(sent)))
  const same = async (what: unknown, [left, right]: readonly [Promise<Reply>, Promise<Reply>]): Promise<Reply> => {
    const [one, other] = await Promise.all([left, right])
    note(one.status)
    assert.deepEqual(normalized(other, 'postgres'), normalized(one, 'sqlite'), `for ${JSON.stringify(what)}`)
    return one
  }
  const client: ApiClient = {
    async rest(method, path, body, headers) {
      const ask = (...[how, where, what]: [string, string, unknown]) =>
        same(
          [how, where, what],
          [sqlite.rest(how, where, what, headers), postgres.rest(how, swap(where) as string, swap(what), headers)],
        )
      const bad = corruptRequest(draw, { method, path, body })
      if (bad !== null) await ask(bad.method, bad.path, bad.body)
      return (await ask(method, path, body)) as Awaited<ReturnType<ApiClient['rest']>>
    },
    async graphql(query, variables) {
      const answer = await same(
        [query, variables],
        [sqlite.graphql(query, variables), postgres.graphql(swap(query) as string, swap(variables))],
      )
      return answer as Awaited<ReturnType<ApiClient['graphql']>>
    },
  }
  return { ...sqlite, ...client, executed: sqlite.executed }
}

type Reply = { status: number }
