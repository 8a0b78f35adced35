// What an account takes along: the rows that rules give it as their owner, by both APIs, with the rules of the reader.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { defaultLimits } from '../../packages/twain/src/plan/index.ts'
import { MailedAccounts } from '../harness/mailed-accounts.ts'

const sdl = `
type User @account @allow(to: [CREATE]) @allow(who: "self") @allow(role: "admin") @allow(who: "signedIn", to: [READ], where: {name: {eq: "Public"}}) {
  id: ID!
  email: String! @unique
  name: String
  roles: [String!]
  mentor: User
  verdict: String @allow(role: "admin")
}
type Note @softDelete(keep: "30d") @allow(who: "author") @allow(role: "admin", to: [READ]) {
  id: ID!
  text: String!
  author: User! @auto(set: VIEWER) @relation(onDelete: CASCADE)
  photo: File
  pictures: [File!]!
  mood: String @allow(who: "author")
}
"Its owner is a reference or a list, and everybody reads it."
type Team @allow(to: [READ]) @allow(who: "members", where: {name: {ne: "Old"}}) @allow(role: "admin") {
  id: ID!
  name: String!
  members: [User!]!
}
type Diary @allow(who: "writer", to: [READ, CREATE]) {
  id: ID!
  text: String!
  writer: User! @auto(set: VIEWER) @allow(role: "nobody", to: [READ])
}
"Two steps away, and open to all: they belong to nobody."
type Remark @allow(who: "note.author") @allow(role: "admin") {
  id: ID!
  text: String!
  note: Note!
}
type Motd @allow { id: ID!, text: String!, by: User }`

const query = `query ($id: ID!, $first: Int! = 20, $after: String, $deleted: DeletedRows) {
  userExport(id: $id, first: $first, after: $after, deleted: $deleted) {
    edges { cursor node } pageInfo { hasNextPage endCursor hasPreviousPage startCursor }
  }
}`

test('R310 an account takes along what rules give it: its row, rows by reference and by list, sessions, files with addresses', async (t) => {
  const { accounts, ann, token, bob, bobToken, operator } = await open(t)
  const photo = await upload(accounts, token, 'a.txt')
  const picture = await upload(accounts, token, 'b.txt')
  const note = await make(accounts, token, '/notes', { text: 'mine', photo, pictures: [picture], mood: 'fair' })
  await make(accounts, bobToken, '/notes', { text: 'not mine' })
  const diary = await make(accounts, token, '/diaries', { text: 'dear' })
  await make(accounts, token, '/remarks', { text: 'below mine', note })
  await make(accounts, token, '/motds', { text: 'open', by: ann })
  const old = await make(accounts, operator, '/teams', { name: 'Old', members: [ann, bob] })
  await make(accounts, operator, '/teams', { name: 'Others', members: [bob] })

  const answer = await exported(accounts, token, ann)
  assert.equal(answer.headers.get('content-type'), 'application/x-ndjson; charset=utf-8')
  assert.equal(answer.headers.get('cache-control'), 'no-store')
  assert.equal(answer.headers.get('content-disposition'), `attachment; filename="users-${ann}.ndjson"`)
  const sessions = answer.rows.filter(({ _type }) => _type === 'Token')
  assert.deepEqual([sessions.length, sessions[0]!.account, sessions[0]!.current], [1, ann, true])
  const [user, ownNote, team, ownDiary, ...rest] = answer.rows.filter(({ _type }) => _type !== 'Token')
  assert.deepEqual(rest, [])
  assert.deepEqual(user, { _type: 'User', id: ann, email: 'ann@example.org', name: null, roles: null, mentor: null })
  assert.deepEqual(Object.keys(ownNote!.photo), ['id', 'url', 'name', 'mediaType', 'size'])
  assert.deepEqual(
    { ...ownNote, photo: ownNote!.photo.name, pictures: ownNote!.pictures.map(({ name }: { name: string }) => name) },
    { _type: 'Note', id: note, text: 'mine', author: ann, photo: 'a.txt', mood: 'fair', pictures: ['b.txt'] },
  )
  for (const { url } of [ownNote!.photo, ownNote!.pictures[0]])
    assert.equal((await accounts.call('GET', url)).status, 200)
  assert.deepEqual(team, { _type: 'Team', id: old, name: 'Old' })
  assert.deepEqual(ownDiary, { _type: 'Diary', id: diary, text: 'dear' })

  assert.deepEqual(await pages(accounts, token, ann, 2), plain(answer.rows))
  const byKey = await exported(accounts, token, 'email=ann%40example.org')
  assert.deepEqual(plain(byKey.rows), plain(answer.rows))
})

test('R311 the account itself and the role admin export it, each with what its own rules show', async (t) => {
  const { accounts, ann, token, bobToken, operator } = await open(t)
  const hidden = await make(accounts, token, '/notes', { text: 'mine', mood: 'foul' })
  await make(accounts, token, '/diaries', { text: 'dear' })
  await accounts.as(operator, 'PATCH', `/users/${ann}`, { verdict: 'fine' })
  const seen = (await exported(accounts, operator, ann)).rows.filter(({ _type }) => _type !== 'Token')
  assert.deepEqual(seen, [
    { _type: 'User', id: ann, email: 'ann@example.org', name: null, roles: null, mentor: null, verdict: 'fine' },
    { _type: 'Note', id: hidden, text: 'mine', author: ann, photo: null, pictures: [] },
  ])
  assert.deepEqual(await pages(accounts, operator, ann, 1), plain((await exported(accounts, operator, ann)).rows))
  assert.equal('verdict' in (await exported(accounts, token, ann)).rows[0]!, false)

  const open_ = await accounts.signUp('open@example.org', { name: 'Public' })
  for (const [sent, id, status, code] of [
    [null, ann, 401, 'UNAUTHENTICATED'],
    [null, 'nobody', 401, 'UNAUTHENTICATED'],
    [bobToken, ann, 404, 'NOT_FOUND'],
    [bobToken, 'nobody', 404, 'NOT_FOUND'],
    [bobToken, open_, 403, 'FORBIDDEN'],
    [operator, 'nobody', 404, 'NOT_FOUND'],
    [operator, 'no~id', 404, 'NOT_FOUND'],
  ] as const) {
    const headers: Record<string, string> = sent === null ? {} : { authorization: `Bearer ${sent}` }
    const refused = await accounts.call('GET', `/users/${id}/export`, undefined, headers)
    assert.deepEqual([refused.status, refused.body.code], [status, code], `${id}: ${refused.text}`)
    const { errors } = await accounts.graphql(query, { id }, sent)
    assert.equal(errors[0].extensions.code, code)
  }
})

test('R312 deleted rows are there on request, as far as the reader could restore them', async (t) => {
  const { accounts, ann, token, operator } = await open(t)
  const note = await make(accounts, token, '/notes', { text: 'gone' })
  const kept = await make(accounts, token, '/notes', { text: 'kept' })
  assert.equal((await accounts.as(token, 'DELETE', `/notes/${note}`)).status, 204)
  const notes = async (sent: string, deleted: string) =>
    (await exported(accounts, sent, ann, deleted === '' ? '' : `?deleted=${deleted}`)).rows
      .filter(({ _type }) => _type === 'Note')
      .map(({ id }) => id)
  assert.deepEqual(await notes(token, ''), [kept])
  assert.deepEqual(await notes(token, 'with'), [note, kept])
  assert.deepEqual(await notes(token, 'only'), [note])
  assert.deepEqual(await notes(operator, 'with'), [kept]) // it may not delete notes
  const { data } = await accounts.graphql(query, { id: ann, deleted: 'WITH' }, token)
  const ids = data.userExport.edges.flatMap(({ node }: Edge) => (node._type === 'Note' ? [node.id] : []))
  assert.deepEqual(ids, [note, kept])
})

test('R313 it is a stream of pages, and every mistake of the request is named', async (t) => {
  const { accounts, ann, token, operator } = await open(t, { ...defaultLimits, page: 7 })
  const texts = Array.from({ length: 30 }, (_, index) => ({ text: String(index) }))
  assert.equal((await accounts.as(token, 'POST', '/notes', texts)).status, 201)
  const answer = await fetch(`${accounts.service.address}/users/${ann}/export`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const text = await answer.text()
  const ids = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).id as string)
  assert.deepEqual([ids.length, new Set(ids).size], [32, 32])
  assert.deepEqual((await pages(accounts, token, ann, 7)).length, 32)
  const head = await fetch(answer.url, { method: 'HEAD', headers: { authorization: `Bearer ${token}` } })
  assert.deepEqual([head.status, await head.text()], [200, ''])

  for (const [path, status, place] of [
    ['?deleted=all', 400, 'deleted'],
    ['?limit=2', 400, 'limit'],
    ['?delete=with', 400, 'delete'],
  ] as const) {
    const wrong = await accounts.as(token, 'GET', `/users/${ann}/export${path}`)
    assert.deepEqual([wrong.status, wrong.body.errors?.[0].path], [status, place], wrong.text)
  }
  const json = { authorization: `Bearer ${token}`, accept: 'text/csv' }
  assert.equal((await accounts.call('GET', `/users/${ann}/export`, undefined, json)).status, 406)
  assert.equal((await accounts.as(token, 'POST', `/users/${ann}/export`)).status, 405)

  const page = await accounts.graphql(query, { id: ann, first: 2 }, token)
  const { endCursor } = page.data.userExport.pageInfo
  for (const variables of [{ first: 8 }, { first: -1 }, { after: 'x' }, { after: `${endCursor}0` }]) {
    const { errors } = await accounts.graphql(query, { id: ann, ...variables }, token)
    assert.equal(errors[0].extensions.code, 'VALIDATION_FAILED', JSON.stringify(errors))
  }
  const other = await accounts.graphql(query, { id: 'another', after: endCursor }, operator)
  assert.equal(other.errors[0].extensions.code, 'VALIDATION_FAILED')
})

test('a schema file may use the names of exports: then there are none', async (t) => {
  const own = `type User @account @allow { id: ID!, email: String! @unique }
type UserExport @allow { id: ID!, note: String }`
  const accounts = await MailedAccounts.open(t, own)
  const id = await accounts.signUp('ann@example.org')
  const token = await accounts.token('ann@example.org')
  assert.equal((await accounts.as(token, 'GET', `/users/${id}/export`)).status, 404)
  const { data } = await accounts.graphql('{ userExports { id } }', {}, token)
  assert.deepEqual(data.userExports, [])
})

// biome-ignore lint/suspicious/noExplicitAny: the tests know the rows
type ExportedRow = Record<string, any>
interface Edge {
  node: ExportedRow
}

async function exported(accounts: MailedAccounts, token: string, id: string, more = '') {
  const answer = await fetch(`${accounts.service.address}/users/${id}/export${more}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const text = await answer.text()
  assert.equal(answer.status, 200, text)
  const rows = text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as ExportedRow]))
  return { headers: answer.headers, rows }
}

/** All rows, from GraphQL. */
async function pages(accounts: MailedAccounts, token: string, id: string, first: number): Promise<ExportedRow[]> {
  const rows: ExportedRow[] = []
  for (let after: string | null = null; ; ) {
    const { data, errors } = await accounts.graphql(query, { id, first, after }, token)
    assert.equal(errors, undefined, JSON.stringify(errors))
    const { edges, pageInfo } = data.userExport
    rows.push(...edges.map(({ node }: Edge) => node))
    assert.equal(pageInfo.hasPreviousPage, after !== null)
    if (!pageInfo.hasNextPage) return plain(rows)
    after = pageInfo.endCursor
  }
}

/** Without what differs between two requests: signatures of files, and uses of sessions. */
function plain(rows: ExportedRow[]): ExportedRow[] {
  const text = JSON.stringify(rows).replaceAll(/\?[^"]*signature[^"]*/g, '')
  return (JSON.parse(text) as ExportedRow[]).map(({ lastUsedAt: _, ...row }) => row)
}

async function make(accounts: MailedAccounts, token: string, path: string, body: object): Promise<string> {
  const made = await accounts.as(token, 'POST', path, body)
  assert.equal(made.status, 201, made.text)
  return made.body.id
}

async function upload(accounts: MailedAccounts, token: string, name: string): Promise<string> {
  const answer = await fetch(`${accounts.service.address}/files?name=${name}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'text/plain' },
    body: name,
  })
  assert.equal(answer.status, 201)
  return ((await answer.json()) as { id: string }).id
}

async function open(t: TestContext, limits = defaultLimits) {
  const accounts = await MailedAccounts.open(t, sdl, { limits })
  const ann = await accounts.signUp('ann@example.org')
  const bob = await accounts.signUp('bob@example.org')
  const token = await accounts.token('ann@example.org')
  const bobToken = await accounts.token('bob@example.org')
  const operator = await accounts.service.operator('admin')
  return { accounts, ann, bob, token, bobToken, operator }
}
