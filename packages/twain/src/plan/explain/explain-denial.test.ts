import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError, type Problem } from '#base'
import { anonymous, type Viewer } from '#base/http'
import { loadModel, type Resource } from '#model'
import type { WritePlan } from '../plan.ts'
import { explainCallDenial, explainDenial, explainReadDenial } from './explain-denial.ts'

const model = loadModel(
  `type User @account @allow(who: "self") { id: ID! email: String! @unique roles: [String!]! @default(value: []) }
type Post @allow(to: [READ]) @allow(who: "author") {
  id: ID!
  author: User!
  rating: Int @allow(role: "editor", to: [CREATE, UPDATE])
}
type Secret { id: ID! }`,
  'a.graphql',
)

test('the rules for the action are named with their places', () => {
  assert.equal(ways('Post', 'update'), 'Post: a.graphql:2 @allow(who: "author") would allow it.')
})

test('a denied field is named with its own rules', () => {
  assert.equal(
    ways('Post', 'create', 'rating'),
    'Post.rating: a.graphql:5 @allow(role: "editor", to: [CREATE, UPDATE]) would allow it.',
  )
  assert.equal(ways('Post', 'create', '2.rating'), ways('Post', 'create', 'rating'), 'the third of several writes')
  assert.equal(ways('Post', 'create', '2'), ways('Post', 'create'))
})

test('a denied transition is named with the @next of exactly its states', () => {
  const states = loadModel(
    `type A @allow(to: [READ]) @allow(role: "boss", to: [UPDATE]) { id: ID! e: E }
enum E {
  X
    @next(to: [Y, Z], role: "r", where: {e: {eq: Y}})
    @next(to: [Z])
  Y @next(to: [Z], role: "s")
  Z
}`,
    'a.graphql',
  )
  const explain = (from: string, to: string) => {
    const problems: Problem[] = [{ path: 'e', code: 'READONLY', message: '', transition: { from, to } }]
    const error = new ApiError('FORBIDDEN', '', { problems })
    return explainDenial({ of: states.resources[0]!, action: 'update' }, error, anonymous, states)
  }
  assert.equal(explain('X', 'Y'), 'A.e: a.graphql:4 @next(to: [Y, Z], role: "r") where e = Y would allow it.')
  assert.equal(explain('Y', 'Z'), 'A.e: a.graphql:6 @next(to: [Z], role: "s") would allow it.')
  assert.equal(
    explain('X', 'Z'),
    'A.e: a.graphql:4 @next(to: [Y, Z], role: "r") where e = Y would allow it; a.graphql:5 @next(to: [Z]) allows it to viewers who may update the row. ' +
      'A: a.graphql:1 @allow(role: "boss", to: [UPDATE]) would allow it.',
  )
})

test('rules that apply to the viewer, but whose filter the row does not match, come first and are not suggested', () => {
  const ruled = loadModel(
    `type User @account @allow { id: ID! email: String! @unique roles: [String!]! }
type A @allow(role: "boss") @allow(who: "by", where: {n: {lt: 9}}) @allow(role: "x", to: [UPDATE], where: {n: {gt: 1}}) {
  id: ID! by: User n: Int }`,
    'a.graphql',
  )
  const of = ruled.types.get('A') as Resource
  const explain = (viewer: Viewer) =>
    explainDenial({ of, action: 'update' }, new ApiError('FORBIDDEN', ''), viewer, ruled)
  const ann: Viewer = { account: 'ann', roles: [], authenticated: true, token: null }
  const [boss, by, x] = [
    '@allow(role: "boss")',
    '@allow(who: "by") where n < 9',
    '@allow(role: "x", to: [UPDATE]) where n > 1',
  ]
  const at = 'a.graphql:2'
  assert.equal(explain(ann), `A: ${at} ${by} does not match this row; ${at} ${boss} or ${at} ${x} would allow it.`)
  assert.equal(
    explain({ ...ann, roles: ['x'] }),
    `A: ${at} ${by} and ${at} ${x} do not match this row; ${at} ${boss} would allow it.`,
  )
  assert.equal(explain(anonymous), `A: ${at} ${boss} or ${at} ${by} or ${at} ${x} would allow it.`)
})

test('the explanation states that no rule could allow the action', () => {
  const only = 'has no @allow, so only the role admin may.'
  assert.equal(ways('Secret', 'delete'), `Secret: a.graphql:7 ${only}`)
  assert.equal(ways('User', 'update', 'roles'), `User.roles: a.graphql:1 ${only}`)
  const readable = loadModel('type A @allow(to: [READ]) { id: ID! }', 'a.graphql')
  const of = readable.resources[0]!
  const error = new ApiError('FORBIDDEN', '')
  assert.equal(
    explainDenial({ of, action: 'create' }, error, anonymous, readable),
    'A: a.graphql:1 has no @allow to CREATE.',
  )
})

test('a field that the rules of its type do not grant is explained by those that do', () => {
  const narrow = loadModel(
    `type User @account { id: ID! email: String! @unique }
type Repair
  @allow(who: "customer", to: [UPDATE], fields: ["note"])
  @allow(role: "boss", to: [UPDATE], fields: ["price"]) {
  id: ID! note: String price: Int @allow(role: "clerk", to: [UPDATE]) secret: Int customer: User }`,
    'a.graphql',
  )
  const of = narrow.types.get('Repair') as Resource
  const explain = (path: string, roles: string[]) => {
    const error = new ApiError('FORBIDDEN', '', { problems: [{ path, code: 'READONLY', message: '' }] })
    return explainDenial({ of, action: 'update' }, error, { ...anonymous, account: 'ann', roles }, narrow)
  }
  const boss = 'Repair.price: a.graphql:4 @allow(role: "boss", to: [UPDATE], fields: ["price"]) would allow it.'
  assert.equal(explain('price', []), boss)
  assert.equal(
    explain('price', ['boss']),
    'Repair.price: a.graphql:5 @allow(role: "clerk", to: [UPDATE]) would allow it.',
  )
  assert.equal(explain('secret', []), 'Repair.secret: no @allow of Repair to UPDATE covers it.')
})

test('a denied call is explained by the rules of its operation', () => {
  const { operations } = loadModel(
    `type User @account { id: ID! email: String! @unique }
     extend type Query { a: Int @allow(who: "signedIn", role: "x") @allow(role: "y") b: Int }`,
    'a.graphql',
  )
  assert.deepEqual(
    operations.map((operation) => explainCallDenial(operation)),
    [
      'Query.a: a.graphql:2 @allow(who: "signedIn", role: "x") or a.graphql:2 @allow(role: "y") would allow it.',
      'Query.b: a.graphql:2 has no @allow, so only the role admin may.',
    ],
  )
})

test('fields that the viewer may not read are named with their READ rules', () => {
  const read = loadModel(
    'type A @allow { id: ID! b: Int @allow(role: "x", to: [READ]) @allow(role: "y", to: [UPDATE]) c: Int }',
    'a.graphql',
  )
  const fields = [...read.resources[0]!.fields.values()]
  assert.equal(explainReadDenial(fields, read), 'A.b: a.graphql:1 @allow(role: "x", to: [READ]) would allow it.')
})

function ways(type: string, action: WritePlan['action'], path?: string): string {
  const problems = path === undefined ? [] : [{ path, code: 'READONLY' as const, message: '' }]
  const of = model.types.get(type) as Resource
  return explainDenial({ of, action }, new ApiError('FORBIDDEN', '', { problems }), anonymous, model)
}
