import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isOfKind } from './viewer-kind.ts'

const kindsOf = (account: string | null, roles: string[], kinds: string[]) =>
  kinds.filter((kind) => isOfKind({ account, roles }, kind, kinds))

test('an operator is one, and an account is what its roles are', () => {
  const kinds = ['nobody', 'signedIn', 'role:admin', 'role:editor', 'role:owner', 'operator']
  assert.deepEqual(kindsOf(null, ['admin'], kinds), ['operator'])
  assert.deepEqual(kindsOf('1', ['admin', 'editor'], kinds), ['role:admin', 'role:editor'])
})

test('an administrator is as an operator where no rule names the role', () => {
  const kinds = ['nobody', 'signedIn', 'role:editor', 'operator']
  assert.deepEqual(kindsOf('1', ['admin'], kinds), ['operator'])
  assert.deepEqual(kindsOf('1', ['admin', 'editor'], kinds), ['role:editor', 'operator'])
})
