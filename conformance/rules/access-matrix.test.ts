// The access matrix: `GET /docs/access` and `accessMatrix` in GraphQL give the same entries, for administrators, and requests get what they say.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { TestService } from '../harness/test-service.ts'

const sdl = `
type User @account @allow(to: [CREATE]) @allow(who: "self") @allow(role: "admin") @allow(role: "support", to: [ACT_AS]) {
  id: ID! email: String! @unique name: String roles: [String!]
}
type Post
  @allow(to: [READ], where: {status: {eq: PUBLISHED}})
  @allow(who: "author")
  @allow(role: "editor", to: [READ, UPDATE])
{
  id: ID!
  title: String!
  note: String @allow(role: "editor", to: [READ])
  author: User! @auto(set: VIEWER)
  status: Status!
}
enum Status { DRAFT @next(to: [PUBLISHED], role: "editor") @next(to: [GONE], who: "author", where: {note: {isNull: true}}) PUBLISHED GONE }
type Secret { id: ID! text: String! }
type Sign @allow(to: [READ]) { id: ID! }
type Query { hello: String @allow(role: "editor") }`

const code = `export default { resolvers: { Query: { hello: () => 'hi' } } }`

interface MatrixEntry {
  type: string
  field: string | null
  action: string
  from: string | null
  to: string | null
  viewer: string
  allowed: string
  when: string
  rules: { rule: string; place: string; decides: boolean }[]
}
interface Matrix {
  viewers: string[]
  entries: MatrixEntry[]
}

describe('the access matrix', () => {
  let service: TestService
  let admin: { authorization: string }
  before(async () => {
    service = await TestService.open({ after() {} }, sdl, { code })
    admin = { authorization: `Bearer ${await service.operator('admin')}` }
  })
  after(() => service?.close())

  const read = (query = ''): Promise<Matrix> => service.succeed('GET', `/docs/access${query}`, undefined, admin)
  const graphql = (query: string, headers: Record<string, string> = admin) =>
    service.succeed('POST', '/graphql', { query }, headers)
  const cell = ({ entries }: Matrix, wanted: Partial<MatrixEntry>) => {
    const found = entries.filter((entry) =>
      Object.entries(wanted).every(([name, value]) => entry[name as keyof MatrixEntry] === value),
    )
    assert.equal(found.length, 1, JSON.stringify(wanted))
    return found[0]!
  }

  test('R340 it has types, fields, transitions and custom operations for each kind of viewer, with the rules that decide', async () => {
    const matrix = await read()
    assert.deepEqual(matrix.viewers, ['nobody', 'signedIn', 'role:admin', 'role:support', 'role:editor', 'operator'])
    const rows = { type: 'Post', field: null, action: 'READ' }
    const nobody = cell(matrix, { ...rows, viewer: 'nobody' })
    assert.deepEqual([nobody.allowed, nobody.when], ['WHERE', 'where status = PUBLISHED'])
    assert.deepEqual(
      nobody.rules.map(({ rule, place, decides }) => [rule, /schema\.graphql:(\d+)$/.exec(place)?.[1], decides]),
      [
        ['@allow(to: [READ]) where status = PUBLISHED', '6', true],
        ['@allow(who: "author")', '7', false],
        ['@allow(role: "editor", to: [READ, UPDATE])', '8', false],
      ],
    )
    assert.equal(cell(matrix, { ...rows, viewer: 'signedIn' }).when, 'where status = PUBLISHED; or where author')
    assert.equal(cell(matrix, { ...rows, viewer: 'role:editor' }).allowed, 'ALWAYS')
    assert.equal(cell(matrix, { ...rows, action: 'DELETE', viewer: 'role:editor' }).when, 'where author')
    const note = { type: 'Post', field: 'note', action: 'READ' }
    assert.equal(cell(matrix, { ...note, viewer: 'signedIn' }).allowed, 'NEVER')
    assert.equal(cell(matrix, { ...note, viewer: 'role:editor' }).allowed, 'ALWAYS')
    const secret = cell(matrix, { type: 'Secret', action: 'READ', viewer: 'signedIn' })
    assert.deepEqual([secret.allowed, secret.when], ['NEVER', 'never: it has no @allow, so only the role admin may'])
    assert.equal(cell(matrix, { type: 'User', action: 'ACT_AS', viewer: 'role:support' }).allowed, 'ALWAYS')
    const sign = cell(matrix, { type: 'Sign', action: 'DELETE', viewer: 'operator' })
    assert.match(sign.when, /^never: \S+schema\.graphql:18 has no @allow to DELETE$/)
    const publish = { type: 'Post', field: 'status', action: 'TRANSITION', from: 'DRAFT', to: 'PUBLISHED' }
    assert.equal(cell(matrix, { ...publish, viewer: 'role:editor' }).allowed, 'ALWAYS')
    const refused = cell(matrix, { ...publish, viewer: 'signedIn' })
    assert.deepEqual([refused.allowed, refused.rules.map(({ decides }) => decides)], ['NEVER', [false]])
    const drop = cell(matrix, { ...publish, to: 'GONE', viewer: 'signedIn' })
    assert.deepEqual([drop.allowed, drop.when], ['WHERE', 'author, where note is null, on rows that they may read'])
    const call = { type: 'Query', field: 'hello', action: 'CALL' }
    assert.deepEqual(
      ['nobody', 'role:editor'].map((viewer) => cell(matrix, { ...call, viewer }).allowed),
      ['NEVER', 'ALWAYS'],
    )
  })

  test('R340 GraphQL gives the same entries', async () => {
    const { data } = await graphql(
      '{ accessMatrix { viewers entries { type field action from to viewer allowed when rules { rule place decides } } } }',
    )
    assert.deepEqual(data.accessMatrix, await read())
    const some = await graphql(
      '{ accessMatrix(type: "Post", as: "nobody", action: "READ") { entries { field when } } }',
    )
    const { entries } = await read('?type=Post&as=nobody&action=READ')
    assert.deepEqual(
      some.data.accessMatrix.entries,
      entries.map(({ field, when }) => ({ field, when })),
    )
    assert.equal(
      entries.every(({ type, viewer, action }) => `${type} ${viewer} ${action}` === 'Post nobody READ'),
      true,
    )
    assert.deepEqual((await read('?as=nobody&type=User')).viewers, ['nobody'])
    assert.equal((await read('?type=Token')).entries[0]!.rules[0]!.place, 'built in')
  })

  test('R341 an unknown type, viewer or action is named, all at once, alike in both APIs', async () => {
    const rest = await service.send('GET', '/docs/access?type=Pst&as=role:editr&action=RAED', undefined, admin)
    assert.equal(rest.status, 400)
    const { errors } = rest.body as { errors: { path: string; code: string; message: string }[] }
    assert.deepEqual(
      errors.map(({ path, code }) => `${path} ${code}`),
      ['type UNKNOWN', 'as UNKNOWN', 'action UNKNOWN'],
    )
    assert.match(errors[0]!.message, /Did you mean "Post"\?/)
    const twin = await graphql('{ m: accessMatrix(type: "Pst", as: "role:editr", action: "RAED") { viewers } }')
    assert.deepEqual(
      twin.errors[0].extensions.errors.map(({ path, message }: { path: string; message: string }) => [path, message]),
      errors.map(({ path, message }) => [`m.${path}`, message]),
    )
    assert.equal((await service.send('GET', '/docs/access?typ=Post', undefined, admin)).status, 400)
    assert.equal((await service.send('POST', '/docs/access', {}, admin)).status, 405)
  })

  test('R342 it is for the role admin alone: others learn no rule, no role and no hint of either', async () => {
    const ann = await service.signUp('ann')
    for (const [headers, status, code] of [
      [{}, 401, 'UNAUTHENTICATED'],
      [{ authorization: ann.authorization }, 403, 'FORBIDDEN'],
    ] as const) {
      const rest = await service.send('GET', '/docs/access?type=Pst&as=role:editr', undefined, headers)
      const text = JSON.stringify(rest.body)
      assert.deepEqual([rest.status, JSON.parse(text).code], [status, code])
      assert.doesNotMatch(text, /editor|Secret|Post"/)
      const twin = await graphql('{ accessMatrix(as: "role:editr") { viewers } }', headers)
      assert.deepEqual([twin.data, twin.errors[0].extensions.code], [null, code])
      assert.doesNotMatch(JSON.stringify(twin), /role:editor/)
    }
  })

  test('requests get what it says', async () => {
    const bob = await service.signUp('bob')
    const own = { authorization: bob.authorization }
    const { id } = await service.succeed('POST', '/posts', { title: 'x' }, own)
    const editor = { authorization: `Bearer ${await service.operator('editor')}` }
    const matrix = await read('?type=Post')
    const statusOf = async (method: string, headers: Record<string, string>, body?: object) =>
      (await service.send(method, `/posts/${id}`, body, headers)).status
    const publish = { status: 'PUBLISHED' }
    assert.equal(await statusOf('PATCH', own, publish), 403)
    assert.equal(await statusOf('PATCH', editor, publish), 200)
    assert.equal(await statusOf('DELETE', editor), 403) // no account: no author
    assert.equal(await statusOf('DELETE', own), 204)
    const step = { field: 'status', from: 'DRAFT', to: 'PUBLISHED' }
    assert.equal(cell(matrix, { ...step, viewer: 'signedIn' }).allowed, 'NEVER')
    assert.equal(cell(matrix, { ...step, viewer: 'role:editor' }).allowed, 'ALWAYS')
  })
})
