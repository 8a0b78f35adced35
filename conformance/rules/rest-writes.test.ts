// Rules hold for every kind of REST request: several rows at once, a single link, a JSON patch, a precondition, a stream.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { bodyText } from '../../packages/twain/src/base/http/index.ts'
import type { ApiClient, TestApis } from '../harness/open-apis.ts'
import { openWithPeople, type Person } from '../harness/open-with-people.ts'

const sdl = `
type User @account @allow(to: [READ, CREATE]) @allow(who: "self") {
  id: ID!
  email: String! @unique @allow(who: "self", to: [READ])
}
type Team @allow(who: "members") @allow(who: "signedIn", to: [CREATE]) @allow(who: "signedIn", to: [READ], where: {open: {eq: true}}) {
  id: ID!
  name: String! @unique
  secret: String @allow(who: "members")
  open: Boolean! @default(value: false)
  changedAt: DateTime @auto(set: UPDATE_TIME) @allow(who: "members", to: [READ])
  members: [User!]!
}
`
let apis: TestApis
let ann: Person
let bob: Person
let closed: string
let open: string

before(async () => {
  ;({ apis, ann, bob } = await openWithPeople(sdl))
  closed = await made({ name: 'closed', members: [ann.id] })
  open = await made({ name: 'open', open: true, members: [ann.id] })
})
after(() => apis.close())

async function made(body: object): Promise<string> {
  const reply = await ann.rest('POST', '/teams', body)
  assert.equal(reply.status, 201, JSON.stringify(reply.body))
  const path = String(reply.headers.location)
  assert.equal((await ann.rest('PATCH', path, { secret: 's' })).status, 200)
  return path.split('/')[2]!
}

test('R8, R47: a viewer cannot add themselves to a list, from either side', async () => {
  const status = async (client: ApiClient, method: string, path: string) => (await client.rest(method, path)).status
  assert.equal(await status(bob, 'PUT', `/teams/${closed}/members/${bob.id}`), 404)
  assert.equal(await status(bob, 'PUT', `/teams/${open}/members/${bob.id}`), 403)
  assert.equal(await status(bob, 'DELETE', `/teams/${open}/members/${ann.id}`), 403)
  assert.equal(await status(apis, 'PUT', `/teams/${open}/members/${bob.id}`), 401)
  assert.equal(await status(ann, 'PUT', `/teams/${open}/members/${bob.id}`), 204)
  assert.equal(await status(bob, 'DELETE', `/teams/${open}/members/${bob.id}`), 204)
  assert.equal(await status(bob, 'DELETE', `/teams/${open}/members/${bob.id}`), 403)
})

test('R51, R47: if one of several rows may not be created, none is', async () => {
  const rows = [{ name: 'x1' }, { name: 'x2', secret: 'not for who is no member' }]
  const refused = await bob.rest('POST', '/teams', rows)
  assert.deepEqual([refused.status, (refused.body as { code: string }).code], [403, 'FORBIDDEN'])
  assert.equal((await apis.rest('POST', '/teams', rows)).status, 401)
  assert.equal((await bob.rest('POST', '/teams', [{ name: 'x1' }])).status, 201)
})

test('R49, R47: a JSON patch is refused as any other change is', async () => {
  const patch = async (client: ApiClient, id: string, path = '/name') => {
    const headers = { 'content-type': 'application/json-patch+json' }
    return (await client.rest('PATCH', `/teams/${id}`, [{ op: 'replace', path, value: 'y' }], headers)).status
  }
  assert.equal(await patch(apis, closed), 401)
  assert.equal(await patch(apis, 'nothing'), 401)
  assert.equal(await patch(bob, closed), 404)
  assert.equal(await patch(bob, open), 403)
  assert.equal(await patch(bob, open, '/secret'), 409) // bob's representation has no such member
  assert.equal(await patch(ann, open, '/secret'), 200)
})

test('R62, R63: a precondition reveals nothing of an unreadable row', async () => {
  const status = async (client: ApiClient, id: string, headers: Record<string, string>) =>
    (await client.rest('PUT', `/teams/${id}`, { name: 'closed too' }, headers)).status
  const past = 'Sun, 06 Nov 1994 08:49:37 GMT'
  for (const headers of [{ 'if-match': '*' }, { 'if-match': '"1"' }]) {
    assert.equal(await status(bob, closed, headers), 412)
    assert.equal(await status(bob, 'nothing', headers), 412)
  }
  assert.equal(await status(bob, closed, { 'if-none-match': '*' }), 404)
  // Bob may not read the time, so the precondition must not reveal it.
  const withTime = await bob.rest('PATCH', `/teams/${open}`, { name: 'z' }, { 'if-unmodified-since': past })
  assert.equal(withTime.status, 403)
  assert.equal((await ann.rest('GET', `/teams/${open}`)).headers['last-modified'], undefined)
})

test('R18, R55: a stream shows the rows and fields that its viewer may read', async () => {
  const lines = async (accept: string, { viewer }: Person) => {
    const path = '/teams?fields=name,secret&sort=name&name[in]=open,closed'
    return bodyText(await apis.send('rest', { method: 'GET', path, headers: { accept } }, viewer))
  }
  assert.equal(await lines('application/x-ndjson', bob), '{"name":"open"}\n')
  assert.equal(await lines('text/csv', bob), 'name,secret\r\nopen,\r\n')
  assert.equal((await lines('application/x-ndjson', ann)).split('\n').length, 3)
})
