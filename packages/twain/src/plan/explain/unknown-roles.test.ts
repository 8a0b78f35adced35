import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadModel } from '#model'
import { unknownRoles } from './unknown-roles.ts'

const found = (roles: string, rest: string) => {
  const account = `type User @account @allow(to: [READ]) { id: ID! email: String! @unique roles: ${roles} }`
  const warnings = unknownRoles(loadModel(`enum Role { STAFF GUEST }\n${account}\n${rest}`, 'a.graphql'))
  return warnings.map(({ file, line, message, hint }) => `${file}:${line} ${message} ${hint}`)
}

test('a role that the enum of roles does not have is named with its place and a near one', () => {
  const rest = `type A @allow(role: "STAF") @allow(role: "admin") @allow(role: "GUEST") { id: ID! n: Int @allow(role: "importer") s: S! }
    enum S { ON @next(to: [OFF], role: "Guest") OFF }
    extend type Query { f: Int @allow(role: "STAF") }`
  for (const roles of ['[Role!]!', 'Role'])
    assert.deepEqual(found(roles, rest), [
      'a.graphql:3 No account can have the role "STAF": Role has no such value. Did you mean "STAFF"?',
      'a.graphql:3 No account can have the role "importer": Role has no such value. Only an operator, a key or an external issuer can have it.',
      'a.graphql:4 No account can have the role "Guest": Role has no such value. Did you mean "GUEST"?',
    ])
})

test('roles that are texts may have any name', () => {
  assert.deepEqual(found('[String!]!', 'type A @allow(role: "STAF") { id: ID! }'), [])
})
