import assert from 'node:assert/strict'
import { test } from 'node:test'
import { draftOwner } from './draft-owner.ts'

const nobody = { account: null, roles: ['admin'] }
const jwt = (claims: object) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`

test('an account has its changes in every session', () => {
  const ann = { account: '7', roles: [] }
  assert.equal(draftOwner(ann, jwt({ sub: '7', jti: 'a' })), draftOwner(ann, jwt({ sub: '7', jti: 'b' })))
})

test('each API key has its own, and their owner does not tell the key', () => {
  const key = 'tk_0123456789abcdef'
  assert.equal(draftOwner(nobody, key), draftOwner(nobody, key))
  assert.notEqual(draftOwner(nobody, key), draftOwner(nobody, 'tk_0123456789abcdee'))
  assert.ok(!draftOwner(nobody, key).includes('0123456789abcdef'))
})

test('an operator finds them with the next token; one with other roles does not', () => {
  const owner = draftOwner(nobody, jwt({ jti: 'a', roles: ['admin'] }))
  assert.equal(draftOwner(nobody, jwt({ jti: 'b>?~', roles: ['admin'] })), owner)
  assert.notEqual(draftOwner({ account: null, roles: ['staff'] }, jwt({ jti: 'c' })), owner)
  assert.notEqual(draftOwner(nobody, 'tk_0123456789abcdef'), owner)
})

test('people of external issuers have their own, also without an account here', () => {
  const owners = [
    { iss: 'https://a.example', sub: '1' },
    { iss: 'https://a.example', sub: '2' },
    { iss: 'https://b.example', sub: '1' },
  ].map((claims) => draftOwner({ account: null, roles: [] }, jwt(claims)))
  assert.equal(new Set(owners).size, 3)
})
