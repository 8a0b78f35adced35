// A request that uses an alias (`@was`) answers with `Deprecation`, on both APIs; one that uses the present names does not.
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
  const deprecated = async (method: string, path: string, body?: unknown) => {
    const sent =
      body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
    const reply = await fetch(`${service.address}${path}`, { method, redirect: 'manual', ...sent })
    const text = await reply.text()
    assert.ok(reply.status < 400 && !text.includes('"errors"'), `${method} ${path}: ${reply.status} ${text}`)
    return reply.headers.get('deprecation') !== null
  }

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
