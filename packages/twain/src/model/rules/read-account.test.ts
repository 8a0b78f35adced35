import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expectMistakes, type MistakeCase } from '../expect-mistake.fixture.ts'
import { loadModel } from '../load-model.ts'

const cases: Record<string, MistakeCase> = {
  'a value that signs in': ['type A { id: ID! v: V } type V ‹@account { email: String }', 'no rows that could sign in'],
  'a second account type': [
    'type U @account { id: ID! email: String @unique } type W ‹@account { id: ID! email: String @unique }',
    'U is the account type already',
  ],
  'no email to sign in with': ['type U ‹@account { id: ID! }', 'Write: email: String! @unique'],
  'a login that is not there': [
    'type U @account(login: ‹"nmae") { id: ID! name: String @unique }',
    'Did you mean "name"',
  ],
  'a login that is not unique': [
    'type U @account(login: ‹"name") { id: ID! name: String }',
    'does not name one account',
  ],
  'a login that is no text': ['type U @account(login: ‹"n") { id: ID! n: Int @unique }', 'not a text'],
  'roles that are not there': ['type U @account(roles: ‹"role") { id: ID! email: String @unique }', 'no field role'],
  'a password of its own': [
    'type U @account { id: ID! email: String @unique ‹password: String }',
    'U.password is taken',
  ],
  'a login that means something else where one signs in': [
    'type U @account(login: ‹"for") { id: ID! for: String @unique }',
    'another name',
  ],
  'a verification of what is no address': [
    'type U @account(login: "name", verification: ‹OPTIONAL) { id: ID! name: String @unique }',
    'U.name is no address',
  ],
  'roles in a number': ['type U @account(roles: ‹"n") { id: ID! email: String @unique n: Int }', "can't store roles"],
}

const accounts: Record<string, [sdl: string, login: string, roles: string | undefined]> = {
  'email and no roles': ['@account { id: ID! email: String! @unique }', 'email', undefined],
  'a login and roles by their names': [
    '@account(login: "name", roles: "kinds") { id: ID! name: String! @unique kinds: [K!]! }',
    'name',
    'kinds',
  ],
  'roles before role': ['@account { id: ID! email: String @unique role: String roles: [String!] }', 'email', 'roles'],
  'role where roles can hold none': ['@account { id: ID! email: String @unique roles: Int role: K }', 'email', 'role'],
}

for (const [title, [sdl, login, roles]] of Object.entries(accounts)) {
  test(`an account type with ${title}`, () => {
    const { account } = loadModel(`type U ${sdl} enum K { A }`, 'test.graphql')
    assert.deepEqual([account?.resource.name, account?.login.name, account?.roles?.name], ['U', login, roles])
  })
}

test('a file without @account has no account type', () => {
  assert.equal(loadModel('type A { id: ID! }', 'test.graphql').account, null)
})

for (const [title, mistake] of Object.entries(cases))
  test(`@account with ${title} is a mistake`, () => expectMistakes(mistake))
