// References and two versions of a schema: a delete through one version respects what only the other one knows.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { testedStore } from '../../packages/twain/src/store/test-place.fixture.ts'
import { ChangingService, warned } from '../harness/changing-service.ts'
import { until } from '../harness/until.ts'
import { dropForeignKey, foreignKeys, forgetReferences, indexNames, runSql } from './run-sql.ts'

const v1 = `
  type Galaxy @allow { id: ID! }
  type Star @allow { id: ID! name: String galaxy: Galaxy @relation(onDelete: CASCADE) }`
const newStar = v1.replace('name: String', 'name: String twin: Star')
const v2 = `${newStar}
  type Planet @allow { id: ID! star: Star! }
  type Moon @allow { id: ID! star: Star pair: Star }
  type Sky @allow { id: ID! stars: [Star!]! }
  type Note @allow { id: ID! about: Body }
  type Mark @allow { id: ID! on: Body! }
  type Comet @allow { id: ID! star: Star! @relation(onDelete: CASCADE) }
  union Body = Star | Galaxy`

/** What a delete through v1 meets: after a rollback, and on PostgreSQL also on a node that started before v2. */
const meetings: Record<string, (t: TestContext) => Promise<Meeting>> = {
  'after a rollback': async (t) => {
    const service = await open(t, v1)
    await service.change(v2)
    return { older: () => service.change(v1).then(() => service), newer: () => service.change(v2).then(() => service) }
  },
  'on a node that started before the newer version': async (t) => {
    const older = await open(t, v1)
    await older.rest('PUT', '/stars/first', {})
    await older.rest('DELETE', '/stars/first')
    const newer = await open(t, v2, older)
    return { older: async () => older, newer: async () => newer }
  },
}

interface Meeting {
  older(): Promise<ChangingService>
  newer(): Promise<ChangingService>
}

for (const [when, meet] of Object.entries(meetings)) {
  const options = { skip: testedStore === 'sqlite' && when.startsWith('on a node') && 'Two nodes need PostgreSQL.' }

  test(`${when}, a row that a newer type requires can't be deleted`, options, async (t) => {
    const { older, newer } = await meet(t)
    const [star, galaxy] = [{ galaxy: 'g' }, {}]
    const requiring = { '/planets/x': { star: 'a' }, '/comets/x': { star: 'a' }, '/marks/x': { on: 'Star:a' } }
    for (const [path, body] of Object.entries(requiring)) {
      const two = await newer()
      await put(two, { '/galaxies/g': galaxy, '/stars/a': star, [path]: body })
      const one = await older()
      const refused = await one.rest('DELETE', '/stars/a')
      assert.equal(refused.status, 409, path)
      assert.match((refused.body as { detail: string }).detail, /Rows of a type that this version .* does not know/)
      assert.match((refused.body as { hint: string }).hint, /twain migrate --drop/)
      const { errors } = await one.graphqlAnswer('mutation { deleteStar(id: "a") { id } }')
      assert.equal(errors[0]?.extensions?.code, 'CONFLICT')
      assert.equal((await one.rest('DELETE', '/galaxies/g')).status, 409, 'a cascade from its parent')
      const again = await newer()
      assert.deepEqual((await again.rest('GET', path)).body, {
        id: 'x',
        ...body,
        ...(path === '/marks/x' && { on: 'Star:a' }),
      })
      assert.equal((await again.rest('GET', '/stars/a')).status, 200)
      await again.rest('DELETE', path)
      assert.equal((await (await older()).rest('DELETE', '/stars/a')).status, 204, path)
      await forget(await newer(), 'a')
    }
  })

  test(`${when}, optional references and links of the newer version are cleared`, options, async (t) => {
    const { older, newer } = await meet(t)
    const two = await newer()
    await put(two, { '/galaxies/g': {}, '/stars/a': { galaxy: 'g' }, '/stars/b': { twin: 'a', name: 'B' } })
    await put(two, { '/moons/m': { star: 'a', pair: 'a' }, '/skies/s': { stars: ['a', 'b'] } })
    await put(two, { '/notes/n': { about: 'Star:a' }, '/notes/o': { about: 'Galaxy:g' } })
    const { endCursor: after } = (await changesUntil(two, 'o')).pageInfo

    assert.equal((await (await older()).rest('DELETE', '/galaxies/g')).status, 204)

    const again = await newer()
    assert.equal((await again.rest('GET', '/stars/a')).status, 404)
    assert.deepEqual((await again.rest('GET', '/moons/m')).body, { id: 'm', star: null, pair: null })
    assert.deepEqual((await again.rest('GET', '/skies/s?fields=stars.id')).body, { stars: [{ id: 'b' }] })
    assert.deepEqual((await again.rest('GET', '/notes/n')).body, { id: 'n', about: null })
    assert.deepEqual((await again.rest('GET', '/notes/o')).body, { id: 'o', about: null })
    assert.deepEqual((await again.rest('GET', '/stars/b?fields=twin,name')).body, { twin: null, name: 'B' })
    const events = await changes(again, 7, `&after=${after}`)
    assert.deepEqual(events.edges.map(({ node }) => `${node.type.split('.').at(-1)} ${node.subject}`).sort(), [
      'deleted a',
      'deleted g',
      'updated b',
      'updated m',
      'updated m',
      'updated n',
      'updated o',
    ])
    const query = '{ moon(id: "m") { star { id } pair { id } _version } note(id: "n") { about { __typename } } }'
    assert.deepEqual(await again.graphql(query), {
      moon: { star: null, pair: null, _version: 3 },
      note: { about: null },
    })
  })
}

test('a row that is deleted together with what it refers to by an unknown field prevents nothing', async (t) => {
  const service = await open(t, v1)
  await service.change(v1.replace('name: String', 'name: String twin: Star @relation(onDelete: RESTRICT)'))
  await put(service, { '/galaxies/g': {}, '/stars/a': { galaxy: 'g' }, '/stars/b': { galaxy: 'g', twin: 'a' } })
  await service.change(v1)
  const refused = await service.rest('DELETE', '/stars/a')
  assert.equal(refused.status, 409)
  assert.match((refused.body as { detail: string }).detail, /by a field that this version of the schema does not know/)
  assert.equal((await service.rest('DELETE', '/galaxies/g')).status, 204)
  assert.deepEqual((await service.rest('GET', '/stars')).body, [])
})

test('a start drops no foreign key; keys that an earlier build dropped come back, and dangling references are null', async (t) => {
  const service = await open(t, v1)
  await service.change(v2)
  const keys = await foreignKeys(service)
  const indexes = await indexNames(service)
  await put(service, { '/stars/a': {}, '/stars/b': {}, '/planets/p': { star: 'a' }, '/planets/q': { star: 'b' } })
  await put(service, { '/moons/m': { star: 'a' }, '/skies/s': { stars: ['a', 'b'] } })
  await service.change(v1)
  assert.deepEqual(await foreignKeys(service), keys)
  assert.deepEqual(await indexNames(service), indexes)

  warned.length = 0
  await service.pause(async () => {
    for (const [table, column] of [
      ['Planet', 'star'],
      ['Moon', 'star'],
      ['Sky_stars', 'right_id'],
    ] as const) {
      await dropForeignKey(service, table, column)
    }
    await forgetReferences(service)
    await runSql(service, `DELETE FROM "Star" WHERE id = 'a'`)
  })
  await service.change(v2)
  assert.deepEqual(await foreignKeys(service), keys)
  assert.equal((await service.rest('DELETE', '/stars/b')).status, 409)
  const lines = warned.filter((line) => line.includes('rows that do not exist'))
  assert.deepEqual(lines.map((line) => line.match(/rows of (\w+) .* now: (.*?)\. If/)?.slice(1)).sort(), [
    ['Moon', 'm (a)'],
    ['Planet', 'p (a)'],
  ])

  const rest = async (path: string) => (await service.rest('GET', path)).body
  const graphql = await service.graphql(
    '{ planets { id star { id } } moons { id star { id } } skies { stars { id } } }',
  )
  assert.deepEqual(await rest('/planets'), [
    { id: 'p', star: null },
    { id: 'q', star: 'b' },
  ])
  assert.deepEqual(graphql.planets, [
    { id: 'p', star: null },
    { id: 'q', star: { id: 'b' } },
  ])
  assert.deepEqual(await rest('/moons'), [{ id: 'm', star: null, pair: null }])
  assert.deepEqual(graphql.moons, [{ id: 'm', star: null }])
  assert.deepEqual(await rest('/skies?fields=stars.id'), graphql.skies)
  const { edges } = await changes(service, 3, '&resource=planets')
  assert.deepEqual(
    edges.map(({ node }) => node.subject),
    ['p', 'q', 'p'],
  )
})

test('rows of a table that Twain does not know prevent a delete with 409', async (t) => {
  const service = await open(t, v1)
  await put(service, { '/stars/a': {}, '/stars/b': {} })
  await service.pause(() =>
    runSql(
      service,
      'CREATE TABLE own_report (star text REFERENCES "Star" (id) DEFERRABLE INITIALLY DEFERRED)',
      `INSERT INTO own_report VALUES ('a')`,
    ),
  )
  const refused = await service.rest('DELETE', '/stars/a')
  assert.equal(refused.status, 409, JSON.stringify(refused.body))
  assert.equal((await service.rest('GET', '/stars/a')).status, 200)
  assert.equal((await service.rest('DELETE', '/stars/b')).status, 204)
})

interface Changes {
  edges: { node: { type: string; subject?: string } }[]
  pageInfo: { endCursor: string }
}

/** The feed, when it has so many changes. */
function changes(service: ChangingService, count: number, query = ''): Promise<Changes> {
  const ask = async () => (await service.rest('GET', `/changes?first=100${query}`)).body as Changes
  return until(ask, ({ edges }) => edges.length >= count)
}

/** All changes, up to one of this row. */
function changesUntil(service: ChangingService, subject: string): Promise<Changes> {
  const ask = async () => (await service.rest('GET', '/changes?first=100')).body as Changes
  return until(ask, ({ edges }) => edges.some(({ node }) => node.subject === subject))
}

async function open(t: TestContext, sdl: string, beside: ChangingService | null = null): Promise<ChangingService> {
  const service = await ChangingService.open(sdl, beside)
  t.after(() => service.close())
  return service
}

async function put(service: ChangingService, rows: Record<string, object>): Promise<void> {
  for (const [path, body] of Object.entries(rows)) {
    const { status, body: answer } = await service.rest('PUT', path, body)
    assert.ok(status < 300, `${path}: ${JSON.stringify(answer)}`)
  }
}

/** A deleted id is free again when the change log has forgotten it. */
async function forget(service: ChangingService, id: string): Promise<void> {
  await runSql(service, `DELETE FROM twain_change WHERE id = '${id}'`)
}
