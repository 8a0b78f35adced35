// A rule with a `not` looks at another row. When that row is deleted, no event begins to show what the rule refused (R124). The last
// version of the deleted row counts.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readPast } from '../events/read-past.ts'
import { TestService } from '../harness/test-service.ts'

const sdl = `
  type User @account @allow(to: [READ, CREATE]) @allow(who: "self") { id: ID! email: String! @unique name: String }
  type Project @allow { id: ID! secret: Boolean! client: Client @relation(onDelete: CASCADE) }
  type Client @allow { id: ID! secret: Boolean! }
  type Memo @allow(where: {not: {project: {secret: {eq: true}}}}) @allow(who: "owner") {
    id: ID! text: String! owner: User! @auto(set: VIEWER) project: Project @relation(onDelete: SET_NULL)
  }
  type Task @allow(where: {not: {project: {client: {secret: {eq: true}}}}}) @allow(who: "owner") {
    id: ID! text: String! owner: User! @auto(set: VIEWER) project: Project @relation(onDelete: CASCADE)
  }
  type Folder @softDelete @allow { id: ID! secret: Boolean! sheets: [Sheet!]! }
  type Sheet @softDelete @allow(where: {not: {folder: {secret: {eq: true}}}}) @allow(who: "owner") {
    id: ID! text: String! owner: User! @auto(set: VIEWER) folder: Folder @relation(onDelete: CASCADE)
  }
  interface Place { id: ID! }
  type Room implements Place @allow { id: ID! secret: Boolean! }
  type Yard implements Place @allow { id: ID! name: String }
  type Party @resource(path: "partys")
    @allow(where: {not: {place: {Room: {secret: {eq: true}}}}}) @allow(who: "owner") {
    id: ID! text: String! owner: User! @auto(set: VIEWER) place: Place @relation(onDelete: SET_NULL)
  }
  type Post @allow(where: {blocks: {none: {user: {isViewer: true}}}}) @allow(who: "owner") {
    id: ID! text: String! owner: User! @auto(set: VIEWER) blocks: [Block!]!
  }
  type Block @allow { id: ID! post: Post! @relation(onDelete: CASCADE) user: User! @relation(onDelete: CASCADE) }
`

test('R124: an event of a time before a neighbour was deleted', async (t) => {
  const service = await TestService.open(t, sdl)
  const ann = await service.signUp('ann')
  const bob = await service.signUp('bob')
  const by = (method: string, path: string, body?: unknown) =>
    service.succeed(method, path, body, { authorization: ann.authorization })
  /** The events of one type, as the viewer reads them in every way. */
  async function past(viewer: { authorization: string }, type: string): Promise<[string, string][]> {
    const last = (await by('POST', `/${type}s`, { text: 'the last' })).id
    const document = `subscription ($after: String) { ${type}Changed(after: $after) { kind id ${type} { text } } }`
    return Object.entries(await readPast(service, { authorization: viewer.authorization }, document, last))
  }
  const values = (texts: [string, string][]) => texts.filter(([way]) => way !== 'a page of GraphQL')

  await t.test('does not show what the neighbour hid, if its reference was cleared', async () => {
    for (const [project, secret] of [
      ['hidden', true],
      ['open', false],
    ] as const) {
      await by('PUT', `/projects/${project}`, { secret })
      await by('PUT', `/memos/of-${project}`, { text: `the ${project} words`, project })
      await by('PATCH', `/memos/of-${project}`, { text: 'clean' })
      await by('DELETE', `/projects/${project}`)
    }
    const seen = await past(bob, 'memo')
    for (const [way, text] of seen) assert.doesNotMatch(text, /the hidden words/, way)
    for (const [way, text] of values(seen)) assert.match(text, /the open words/, way)
    for (const [way, text] of values(await past(ann, 'memo'))) assert.match(text, /the hidden words/, way)
  })

  await t.test('does not tell of a row that was deleted along, and tells who could read it', async () => {
    for (const [client, secret] of [
      ['hidden', true],
      ['open', false],
    ] as const) {
      await by('PUT', `/clients/${client}`, { secret })
      await by('PUT', `/projects/for-${client}`, { secret: false, client })
      await by('PUT', `/tasks/for-${client}`, { text: `the ${client} words`, project: `for-${client}` })
      await by('DELETE', `/clients/${client}`)
    }
    const seen = await past(bob, 'task')
    for (const [way, text] of seen) {
      const about = way === 'subscription' ? /for-hidden/ : /(tasks\/|Task","[^}]*)for-hidden|the hidden words/
      assert.doesNotMatch(text, about, way)
    }
    for (const [way, text] of values(seen)) assert.match(text, /the open words/, way)
    const kinds = seen.find(([way]) => way === 'subscription')![1]
    assert.match(kinds, /"kind":"DELETED","id":"for-open"/)
  })

  await t.test('does not show what a soft-deleted neighbour hides', async () => {
    for (const [folder, secret] of [
      ['hidden', true],
      ['open', false],
    ] as const) {
      await by('PUT', `/folders/${folder}`, { secret })
      await by('PUT', `/sheets/in-${folder}`, { text: `the ${folder} words`, folder })
      await by('DELETE', `/folders/${folder}`)
    }
    const seen = await past(bob, 'sheet')
    for (const [way, text] of seen) assert.doesNotMatch(text, /the hidden words|in-hidden/, way)
    for (const [way, text] of values(seen)) assert.match(text, /the open words/, way)
    await by('POST', '/folders/hidden/restorations')
    await by('POST', '/folders/open/restorations')
    for (const [way, text] of await past(bob, 'sheet')) assert.doesNotMatch(text, /the hidden words|in-hidden/, way)
  })

  await t.test('does not show what a neighbour of one of several types hid', async () => {
    await by('PUT', '/rooms/cellar', { secret: true })
    await by('PUT', '/yards/lawn', { name: 'lawn' })
    await by('PUT', '/partys/p1', { text: 'the closed words', place: 'cellar' })
    await by('PUT', '/partys/p2', { text: 'the open words', place: 'lawn' })
    for (const id of ['p1', 'p2']) await by('PATCH', `/partys/${id}`, { text: 'clean' })
    await by('DELETE', '/rooms/cellar')
    await by('DELETE', '/yards/lawn')
    const seen = await past(bob, 'party')
    for (const [way, text] of seen) assert.doesNotMatch(text, /the closed words/, way)
    for (const [way, text] of values(seen)) assert.match(text, /the open words/, way)
  })

  await t.test('does not show a deleted row whose list hid it', async () => {
    await by('PUT', '/posts/p', { text: 'the blocked words' })
    await by('POST', '/blocks', { post: 'p', user: bob.id })
    await by('PATCH', '/posts/p', { text: 'other blocked words' })
    await by('DELETE', '/posts/p')
    for (const [way, text] of await past(bob, 'post')) assert.doesNotMatch(text, /blocked words/, way)
    for (const [way, text] of values(await past(ann, 'post'))) assert.match(text, /the blocked words/, way)
  })
})
