// A request that uses an alias (`@was`), or an argument, a value or a field of a value that is `@deprecated`, answers with `Deprecation`, on
// both APIs; one that does not has none.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TestService } from '../harness/test-service.ts'

const sdl = `
enum Access { OPEN, CLOSED @was(name: "SHUT") }
type Edition { publisher: String @was(name: "house"), year: Int }
interface Holding { id: ID!, title: String! @was(name: "heading") }
type Score implements Holding @was(name: "Sheet") @resource(path: "scores", was: ["partituren"]) @allow {
  id: ID!
  title: String! @was(name: "heading")
  access: Access! @default(value: OPEN)
  edition: Edition
  parts: [Part!]! @was(name: "voices")
}
type Part @allow { id: ID!, desk: Int!, score: Score @was(name: "sheet") }
`

test('the answer to a request with an alias has Deprecation', async (t) => {
  const service = await TestService.open(t, sdl)
  const put = (path: string, body: unknown) => service.succeed('PUT', path, body)
  await put('/scores/s1', { title: 'Suite', access: 'CLOSED', edition: { publisher: 'Peters' } })
  await put('/parts/p1', { desk: 1, score: 's1' })
  const deprecated = deprecatedBy(service)

  const rest: [alias: boolean, method: string, path: string, body?: unknown][] = [
    [false, 'GET', '/scores'],
    [false, 'GET', '/scores?fields=title,edition.publisher&sort=title&access=CLOSED'],
    [true, 'GET', '/scores?fields=heading'],
    [true, 'GET', '/scores?fields=id,edition.house'],
    [true, 'GET', '/scores?heading=Suite'],
    [true, 'GET', '/scores?sort=-heading'],
    [true, 'GET', '/scores?edition.house=Peters'],
    [true, 'GET', '/scores?access=SHUT'],
    [true, 'GET', '/scores?access[in]=OPEN,SHUT'],
    [true, 'GET', `/scores?where=${encodeURIComponent('{"heading":{"eq":"Suite"}}')}`],
    [true, 'GET', '/parts?sheet=s1'],
    [true, 'GET', '/holdings?fields=heading'],
    [true, 'GET', '/holdings?fields=id,:Sheet.access'],
    [false, 'GET', '/holdings?fields=id,:Score.access'],
    [true, 'GET', '/holdings?_type=Sheet'],
    [false, 'GET', '/holdings?_type=Score'],
    [true, 'GET', `/holdings?where=${encodeURIComponent('{"Sheet":{"access":{"eq":"OPEN"}}}')}`],
    [true, 'GET', '/partituren'],
    [true, 'GET', '/sheets/s1'],
    [true, 'GET', '/scores/s1/voices'],
    [false, 'GET', '/scores/'],
    [false, 'GET', '/scores/s1/parts'],
    [true, 'PATCH', '/scores/s1', { heading: 'Suite' }],
    [true, 'PATCH', '/scores/s1', { access: 'SHUT' }],
    [true, 'PATCH', '/scores/s1', { edition: { house: 'Peters' } }],
    [true, 'PATCH', '/scores/s1', { _voices: { connect: ['p1'] } }],
    [false, 'PATCH', '/scores/s1', { _parts: { connect: ['p1'] } }],
    [true, 'PATCH', '/scores/s1?fields=heading', { title: 'Suite' }],
    [true, 'PATCH', '/scores/s1?fields=heading', { title: 'Suite' }], // its representation is cached
    [false, 'PATCH', '/scores/s1', { title: 'Suite', access: 'CLOSED' }],
    [true, 'POST', '/batch', [{ method: 'PATCH', path: '/scores/s1', body: { heading: 'Suite' } }]],
    [true, 'POST', '/batch', [{ method: 'PATCH', path: '/sheets/s1', body: { title: 'Suite' } }]],
    [false, 'POST', '/batch', [{ method: 'PATCH', path: '/scores/s1', body: { title: 'Suite' } }]],
  ]
  for (const [alias, method, path, body] of rest) {
    assert.equal(await deprecated(method, path, body), alias, `${method} ${path} ${JSON.stringify(body)}`)
  }
  const row = await service.succeed('GET', '/scores/s1')
  assert.equal(row.heading, 'Suite', 'a row has both names')
  assert.equal(await deprecated('PUT', '/scores/s1', row), false, 'and can be put back as it is')

  const documents: [alias: boolean, query: string, variables?: unknown][] = [
    [false, '{ scores(where: {title: {eq: "Suite"}}, orderBy: [{title: ASC}]) { title edition { publisher } } }'],
    [true, '{ scores { heading } }'],
    [true, '{ scores { edition { house } } }'],
    [true, '{ scores(where: {heading: {eq: "Suite"}}) { id } }'],
    [true, '{ scores(orderBy: [{heading: ASC}]) { id } }'],
    [true, '{ scores(where: {access: {eq: SHUT}}) { id } }'],
    [true, 'query($a: Access!) { scores(where: {access: {eq: $a}}) { id } }', { a: 'SHUT' }],
    [false, 'query($a: Access!) { scores(where: {access: {eq: $a}}) { id } }', { a: 'CLOSED' }],
    [true, 'query($w: ScoreWhere) { scores(where: $w) { id } }', { w: { heading: { eq: 'Suite' } } }],
    [true, '{ holdings { heading } }'],
    [true, '{ holdings(where: {_type: {eq: Sheet}}) { id } }'],
    [true, '{ holdings(where: {Sheet: {access: {eq: OPEN}}}) { id } }'],
    [false, '{ holdings(where: {_type: {eq: Score}}) { id } }'],
    [true, '{ sheet(id: "s1") { id } }'],
    [true, '{ partituren { id } }'],
    [true, '{ score(id: "s1") { voices { id } } }'],
    [true, '{ score(id: "s1") { voicesConnection { totalCount } } }'],
    [true, 'mutation { updateScore(id: "s1", heading: "Suite") { id } }'],
    [true, 'mutation { updateSheet(id: "s1", title: "Suite") { id } }'],
    [true, 'mutation { updateScore(id: "s1", _voices: {connect: ["p1"]}) { id } }'],
    [false, 'mutation { updateScore(id: "s1", _parts: {connect: ["p1"]}) { id } }'],
    [true, 'mutation { updateScore(id: "s1", access: SHUT) { id } }'],
    [true, 'mutation($i: UpdateScoreInput) { updateScore(id: "s1", input: $i) { id } }', { i: { heading: 'Suite' } }],
    [true, 'mutation { updateScore(id: "s1", title: "Suite") { heading } }'],
    [false, 'mutation { updateScore(id: "s1", title: "Suite", access: CLOSED) { id title } }'],
    [true, 'mutation @transaction { updateScore(id: "s1", heading: "Suite") { id } }'],
  ]
  for (const [alias, query, variables] of documents) {
    assert.equal(await deprecated('POST', '/graphql', { query, variables }), alias, query)
  }
})

const marked = `
enum Medium { OIL, TEMPERA @deprecated(reason: "Use OIL. It goes on 2031-01-01.") }
type Size { width: Int, depth: Int @deprecated }
type Work @allow {
  id: ID!
  title: String
  medium: Medium
  media: [Medium!]
  size: Size
  label(loud: Boolean @deprecated, medium: Medium): String @computed(from: ["title"])
}
input Ink { shade: String, gloss: Boolean @deprecated }
input StampInput { text: String!, colour: String @deprecated, medium: Medium, inks: [Ink!], more: StampInput }
extend type Query { longest(unit: String = "M" @deprecated, medium: Medium = TEMPERA): Int @allow }
extend type Mutation { stamp(input: StampInput!): String @allow }
`
const markedCode = `export default { resolvers: {
  Work: { label: (rows) => rows.map(({ title }) => title) },
  Query: { longest: () => 1 },
  Mutation: { stamp: ({ input }) => input.text },
} }`

test('so has the answer to a request with a deprecated argument, enum value, or field of a value', async (t) => {
  const service = await TestService.open(t, marked, { code: markedCode })
  await service.succeed('PUT', '/works/w1', { title: 'Suite' })
  const deprecated = deprecatedBy(service)
  const where = (filter: unknown) => `/works?fields=id&where=${encodeURIComponent(JSON.stringify(filter))}`

  const rest: [isUsed: boolean, method: string, path: string, body?: unknown][] = [
    [false, 'GET', '/works?fields=id&medium=OIL&media[contains]=OIL'],
    [true, 'GET', '/works?fields=id&medium=TEMPERA'],
    [true, 'GET', '/works?fields=id&medium[in]=OIL,TEMPERA'],
    [true, 'GET', '/works?fields=id&media[contains]=TEMPERA'],
    [true, 'GET', where({ medium: { ne: 'TEMPERA' } })],
    [true, 'GET', where({ size: { depth: { eq: 1 } } })],
    [false, 'GET', where({ medium: { ne: 'OIL' } })],
    [false, 'GET', '/works?fields=label'],
    [true, 'GET', '/works?fields=label(loud:false)'],
    [false, 'GET', '/works?fields=label(medium:OIL)'],
    [true, 'GET', '/works?fields=label(medium:TEMPERA)'],
    [false, 'PATCH', '/works/w1?fields=id', { size: { width: 1 }, medium: 'OIL' }],
    [true, 'PATCH', '/works/w1?fields=id', { size: { depth: 1 } }],
    [true, 'PATCH', '/works/w1?fields=id', { medium: 'TEMPERA' }],
    [true, 'PATCH', '/works?title=Suite', { media: ['OIL', 'TEMPERA'] }],
    [false, 'POST', '/works?fields=id', [{ medium: 'OIL' }, { medium: 'OIL' }]],
    [true, 'POST', '/works?fields=id', [{ medium: 'OIL' }, { medium: 'TEMPERA' }]],
    [true, 'POST', '/batch', [{ method: 'PATCH', path: '/works/w1?fields=id', body: { medium: 'TEMPERA' } }]],
    [false, 'GET', '/longest'],
    [true, 'GET', '/longest?unit=CM'],
    [true, 'GET', '/longest?medium=TEMPERA'],
    [false, 'POST', '/stamp-requests', { input: { text: 'a', inks: [{ shade: 'b' }] } }],
    [true, 'POST', '/stamp-requests', { input: { text: 'a', colour: null } }],
    [true, 'POST', '/stamp-requests', { input: { text: 'a', inks: [{}, { gloss: true }] } }],
    [true, 'POST', '/stamp-requests', { input: { text: 'a', more: { text: 'b', medium: 'TEMPERA' } } }],
  ]
  for (const [isUsed, method, path, body] of rest) {
    assert.equal(await deprecated(method, path, body), isUsed, `${method} ${path} ${JSON.stringify(body)}`)
  }

  const ofVariable = 'query ($m: Medium, $u: String) { works(where: {medium: {eq: $m}}) { id } longest(unit: $u) }'
  const create = 'mutation ($w: CreateWorkInput!) { createWork(input: $w) { id } }'
  const stamp = 'mutation ($s: StampInput!) { stamp(input: $s) }'
  const documents: [isUsed: boolean, query: string, variables?: unknown][] = [
    [false, '{ works(where: {medium: {eq: OIL}}) { id label } longest }'],
    [true, '{ works(where: {medium: {eq: TEMPERA}}) { id } }'],
    [true, '{ works(where: {media: {contains: TEMPERA}}) { id } }'],
    [false, ofVariable, { m: 'OIL' }],
    [true, ofVariable, { m: 'TEMPERA' }],
    [true, ofVariable, { m: 'OIL', u: 'CM' }],
    [false, ofVariable, { m: 'OIL' }], // the plan is the same
    [true, 'query ($m: Medium = TEMPERA) { works(where: {medium: {eq: $m}}) { id } }'],
    [true, 'query ($w: WorkWhere) { works(where: $w) { id } }', { w: { medium: { in: ['OIL', 'TEMPERA'] } } }],
    [true, '{ works { label(loud: true) } }'],
    [true, '{ longest(unit: "CM") }'],
    [true, '{ longest(medium: TEMPERA) }'],
    [false, create, { w: { medium: 'OIL', size: { width: 1 } } }],
    [true, create, { w: { medium: 'TEMPERA', size: { width: 1 } } }],
    [true, create, { w: { medium: 'OIL', size: { depth: 1 } } }],
    [true, 'mutation @transaction { updateWork(id: "w1", medium: TEMPERA) { id } }'],
    [true, 'mutation { updateWorks(where: {title: {eq: "Suite"}}, input: {medium: TEMPERA}) { count } }'],
    [true, 'mutation { stamp(input: {text: "a", colour: "red"}) }'],
    [true, stamp, { s: { text: 'a', colour: 'red' } }],
    [true, stamp, { s: { text: 'a', more: { text: 'b', inks: [{ gloss: true }] } } }],
    [false, stamp, { s: { text: 'a', medium: 'OIL', more: { text: 'b', inks: [{ shade: 'c' }] } } }],
  ]
  for (const [isUsed, query, variables] of documents) {
    const of = `${query} ${JSON.stringify(variables)}`
    assert.equal(await deprecated('POST', '/graphql', { query, variables }), isUsed, of)
  }
  const dated = await service.send('GET', '/works?fields=id&medium=TEMPERA')
  assert.equal(dated.headers.get('sunset'), 'Wed, 01 Jan 2031 00:00:00 GMT')
})

test('so has the answer to a sign-in with the alias of the login', async (t) => {
  const account = 'type Person @account(login: "mail") @allow { id: ID!, mail: String! @unique @was(name: "email") }'
  const service = await TestService.open(t, account)
  const password = 'a long password'
  await service.succeed('POST', '/people', { mail: 'ann@example.org', password })
  const logins: [alias: boolean, name: string][] = [
    [false, 'mail'],
    [true, 'email'],
  ]
  for (const [alias, name] of logins) {
    const input = { [name]: 'ann@example.org', password }
    const rest = await service.send('POST', '/tokens', input)
    assert.deepEqual([rest.status, rest.headers.has('deprecation')], [201, alias], name)
    const query = 'mutation ($input: CreateTokenInput!) { createToken(input: $input) { id } }'
    const graphql = await service.send('POST', '/graphql', { query, variables: { input } })
    assert.ok(graphql.body.data?.createToken, JSON.stringify(graphql.body))
    assert.equal(graphql.headers.has('deprecation'), alias, name)
    const refused = await service.send('POST', '/tokens', { ...input, password: 'a wrong password' })
    assert.equal(refused.status, 401)
  }
})

/** Whether the answer, which is no error, has the header. */
function deprecatedBy(service: TestService) {
  return async (method: string, path: string, body?: unknown) => {
    const sent =
      body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
    const reply = await fetch(`${service.address}${path}`, { method, redirect: 'manual', ...sent })
    const text = await reply.text()
    assert.ok(reply.status < 400 && !text.includes('"errors"'), `${method} ${path}: ${reply.status} ${text}`)
    return reply.headers.get('deprecation') !== null
  }
}
