// Events of changes that a node with an older schema wrote, or that are older than a field: readers of the newer schema get the row
// as it was stored, in every kind of reader.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient } from '@twain/client'
import { makeTestDatabase } from '../../packages/twain/src/store/postgres/test-database.fixture.ts'
import { testedStore } from '../../packages/twain/src/store/test-place.fixture.ts'
import { ChangingService } from '../harness/changing-service.ts'
import { TestService } from '../harness/test-service.ts'
import { until } from '../harness/until.ts'

const older = 'type Star { id: ID! name: String! magnitude: Float }'
const newer = `
  type Star {
    id: ID!
    name: String!
    magnitude: Float
    colour: String
    level: Int! @default(value: 3)
    isVisible: Boolean! @default(value: true)
    facts: JSON
    place: Place
    seen: DateTime! @auto(set: UPDATE_TIME)
  }
  type Place { z: Int a: [Float!] }
`
/** Not a key order of PostgreSQL's, texts that look like JSON, and numbers of all sizes. */
const known = {
  colour: '{"not": "JSON"}',
  level: 9,
  isVisible: false,
  facts: 'a text',
  place: { z: 1, a: [1e-7, 4] },
}

interface Entry {
  type: string
  version: number
  data?: Record<string, unknown>
}

function nodesIn(page: unknown): Entry[] {
  return (page as { edges: { node: Entry }[] }).edges.map(({ node }) => node)
}

async function changesOf(service: ChangingService, query: string, count: number): Promise<Entry[]> {
  const ask = async () => nodesIn((await service.rest('GET', `/changes?resource=stars${query}`)).body)
  return until(ask, (found) => found.length >= count)
}

test('a change by an older schema carries the fields that only the newer one knows', async (t) => {
  const service = await ChangingService.open(older)
  t.after(() => service.close())
  await service.rest('PUT', '/stars/a', { name: 'Sirius' })
  await service.change(newer)
  await service.rest('PATCH', '/stars/a', known)
  await service.change(older)
  await service.rest('PATCH', '/stars/a', { magnitude: 2.5 })
  await service.rest('PATCH', '/stars/a', { name: 'Sirius A' })
  await service.rest('DELETE', '/stars/a')
  await service.change(newer)
  const [created, ...later] = await changesOf(service, '', 5)
  const { seen, ...first } = created!.data!
  // The entry is older than the fields: they have their defaults.
  assert.deepEqual(first, {
    ...{ id: 'a', name: 'Sirius', magnitude: null, colour: null },
    ...{ level: 3, isVisible: true, facts: null, place: null },
  })
  assert.match(String(seen), /^2\d{3}-/)
  const rows = later.slice(1, 3).map(({ data }) => ({ ...data, seen: undefined }))
  assert.deepEqual(rows, [
    { id: 'a', name: 'Sirius', magnitude: 2.5, ...known, seen: undefined },
    { id: 'a', name: 'Sirius A', magnitude: 2.5, ...known, seen: undefined },
  ])
  // Filters see the fields too, of updates and of the delete.
  const filtered = await changesOf(service, '&level=9&isVisible=false', 4)
  assert.deepEqual(
    filtered.map(({ type, version }) => [type, version]),
    [
      ['star.updated', 2],
      ['star.updated', 3],
      ['star.updated', 4],
      ['star.deleted', 5],
    ],
  )
  const subscription =
    'subscription ($after: String) { starUpdated(after: $after, where: {level: {eq: 9}}) { level place { z a } } }'
  const events = await service.events(subscription, { after: await firstCursor(service) }, 3)
  assert.deepEqual(events, Array(3).fill({ starUpdated: { level: 9, place: known.place } }))
})

const skip = testedStore !== 'postgres' && 'Two nodes need PostgreSQL.'

test('an older node beside a newer one takes nothing from what the client knows', { skip }, async (t) => {
  const { address: database, drop } = await makeTestDatabase()
  t.after(drop)
  const old = await TestService.open(t, older, { database })
  await old.succeed('PUT', '/stars/a', { name: 'Sirius' })
  const young = await TestService.open(t, newer, { database })
  await young.succeed('PATCH', '/stars/a', { colour: 'white', level: 9 })
  const client = createClient({ url: `${young.address}/graphql` })
  const shown: unknown[] = []
  const fields = '{ id name magnitude colour level }'
  const watched = client.watch(`{ star(id: "a") ${fields} }`)
  t.after(watched.subscribe(({ data }) => data && shown.push(data)))
  const events: unknown[] = []
  const listener = { next: ({ data }: { data?: unknown }) => events.push(data) }
  t.after(client.subscribe(`subscription { starUpdated(where: {colour: {eq: "white"}}) ${fields} }`, {}, listener))
  await until(
    async () => shown.length,
    (length) => length > 0,
  )
  // Until the subscription is open.
  for (let magnitude = 1; events.length === 0; magnitude++) {
    await old.succeed('PATCH', '/stars/a', { magnitude })
    await until(
      async () => events.length,
      () => true,
    )
  }
  await old.succeed('PATCH', '/stars/a', { name: 'Sirius A' })
  await old.succeed('PUT', '/stars/b', { name: 'Vega' })
  const last = await until(
    async () => shown.at(-1) as { star: Record<string, unknown> },
    ({ star }) => star.name === 'Sirius A',
  )
  assert.equal(last.star.colour, 'white')
  assert.equal(last.star.level, 9)
  for (const { starUpdated } of events as { starUpdated: Record<string, unknown> }[]) {
    assert.deepEqual([starUpdated.colour, starUpdated.level], ['white', 9])
  }
  const feed = async () => nodesIn(await young.succeed('GET', '/changes?resource=stars&level=3'))
  // The first star leaves the filter with its own level.
  const [, , vega] = await until(feed, ({ length }) => length >= 3)
  assert.deepEqual([vega!.type, vega!.data!.level, vega!.data!.name], ['star.created', 3, 'Vega'])
})

/** Before all changes but the first. */
async function firstCursor(service: ChangingService): Promise<string> {
  const { body } = await service.rest('GET', '/changes?first=1')
  return (body as { pageInfo: { endCursor: string } }).pageInfo.endCursor
}
