import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadModel } from '#model'
import { type AccessRow, accessMatrix, guessableFields, viewerKinds } from './access-matrix.ts'

const model = loadModel(
  `type User @account @allow(to: [READ]) @allow(who: "self") {
  id: ID!
  email: String! @unique @allow(who: "self", to: [READ])
  roles: [String!]!
}
type Post
  @allow(to: [READ], where: {status: {eq: PUBLISHED}})
  @allow(who: "author")
  @allow(role: "editor", to: [READ]) {
  id: ID!
  status: Status!
  author: User!
}
enum Status { DRAFT PUBLISHED }
type Secret { id: ID! }`,
  'a.graphql',
)

test('there is a kind of viewer for each that the model distinguishes', () => {
  assert.deepEqual(
    viewerKinds(model).map(({ name }) => name),
    ['nobody', 'signedIn', 'role:editor', 'operator'],
  )
  const open = loadModel('type A @allow(role: "robot") { id: ID! }', 'a.graphql')
  assert.deepEqual(
    viewerKinds(open).map(({ name }) => name),
    ['nobody', 'role:robot', 'operator'],
  )
})

test('a cell has the rules that decide', () => {
  const read = verdicts('Post', null, 'READ')
  assert.deepEqual(read, {
    nobody: 'where 7',
    signedIn: 'where 7 8',
    'role:editor': 'always 9',
    operator: 'where 7',
  })
  assert.deepEqual(verdicts('Post', null, 'DELETE'), {
    nobody: 'never',
    signedIn: 'where 8',
    'role:editor': 'where 8',
    operator: 'never',
  })
})

test('types without rules, roles and models without rules are listed too', () => {
  assert.equal(verdicts('Secret', null, 'READ').signedIn, 'never closed')
  assert.equal(verdicts('Secret', null, 'READ').operator, 'always closed')
  assert.equal(verdicts('User', 'roles', 'UPDATE').signedIn, 'never roles')
  assert.equal(verdicts('User', 'roles', 'UPDATE').operator, 'always roles')
  const open = loadModel('type A { id: ID! }', 'a.graphql')
  assert.ok(accessMatrix(open).every(({ cells }) => cells.every(({ verdict }) => verdict.reason === 'open')))
})

test('the matrix has only fields with rules of their own, with the actions that the rules name', () => {
  const rows = accessMatrix(model).filter(({ field }) => field !== null)
  assert.deepEqual(
    rows.map(({ field, action }) => `${field!.name} ${action}`),
    ['email READ', 'roles CREATE', 'roles UPDATE'],
  )
})

function verdicts(type: string, field: string | null, action: AccessRow['action']): Record<string, string> {
  const row = accessMatrix(model).find(
    (one) => one.of.name === type && (one.field?.name ?? null) === field && one.action === action,
  )
  return Object.fromEntries(
    row!.cells.map(({ kind, verdict: { is, rules, reason } }) => [
      kind.name,
      [is, ...(reason === 'rules' ? rules.map(({ place }) => place.line) : [reason])].join(' '),
    ]),
  )
}

function guessed(sdl: string): string[] {
  const found = guessableFields(loadModel(sdl, 'schema.graphql'))
  return found.map(({ field, by }) => `${field.owner.name}.${field.name}: ${by.map(({ name }) => name).join(' ')}`)
}

const user = 'type User @account @allow(to: [READ, CREATE]) @allow(who: "self")'
const hidden = '@allow(who: "self", to: [READ])'

test('a unique field that someone may write and not read is guessable, except the login', () => {
  assert.deepEqual(guessed(`${user} { id: ID! email: String! @unique ${hidden} phone: String @unique ${hidden} }`), [
    'User.phone: nobody signedIn operator',
  ])
})

test('a field is guessable if it is unique together with a field that they may write', () => {
  const rule = '@allow(role: "auditor")'
  assert.deepEqual(
    guessed(`${user} { id: ID! email: String! @unique }
      type Box @allow(who: "signedIn") @allow(role: "auditor") {
        id: ID! title: String @unique(with: ["mark"]) mark: String ${rule} other: String ${rule}
      }`),
    ['Box.mark: signedIn'],
  )
})

test('a field is not guessable if all viewers who may write it can read it', () => {
  assert.deepEqual(
    guessed(`${user} { id: ID! email: String! @unique }
      type Box @allow(to: [READ]) @allow(role: "staff") {
        id: ID! code: String @unique @allow(role: "staff") open: String @unique plain: String @allow(role: "staff")
      }`),
    [],
  )
})
