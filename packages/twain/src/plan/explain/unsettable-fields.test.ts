import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadModel } from '#model'
import { unsettableFields } from './unsettable-fields.ts'

const found = (sdl: string) => unsettableFields(loadModel(sdl, 'a.graphql'))
const names = (sdl: string) => found(sdl).map(({ message }) => message.split(' ')[0])
const user = 'type User @account @allow(to: [READ]) { id: ID! email: String! @unique }'
const post = (rules: string, field: string) => `${user} type Post ${rules} { id: ID! rank: ${field} n: Int }`

test('a required field that only an admin may set, of a type that others may create, is a mistake with place and hint', () => {
  assert.deepEqual(found('type A @allow {\n  id: ID!\n  rank: Int! @allow(role: "admin")\n}'), [
    {
      file: 'a.graphql',
      line: 3,
      column: 3,
      length: 4,
      message: 'A.rank is required, but nobody who may create rows of A may set it. The role admin does not count.',
      hint: 'Write a @default, make it optional, allow CREATE on it, or leave CREATE out of the rules (to:) of A.',
    },
  ])
})

test('what counts are the rights to create of those who may create the row', () => {
  const admin = 'Int! @allow(role: "admin")'
  const refused: [rules: string, field: string][] = [
    ['@allow(who: "signedIn")', admin],
    ['@allow(role: "staff", to: [CREATE])', admin],
    ['@allow(who: "signedIn", verified: true)', admin],
    ['@allow(where: {rank: {eq: {claim: "rank"}}})', admin],
    ['@allow(role: "admin") @allow(who: "signedIn", to: [CREATE])', 'Int! @allow(role: "admin", to: [CREATE])'],
    ['@allow(role: "admin") @allow(who: "signedIn", to: [CREATE], fields: ["n"])', 'Int!'],
    ['@allow(who: "signedIn")', 'User! @allow(role: "admin", to: [CREATE])'],
  ]
  for (const [rules, field] of refused) assert.deepEqual(names(post(rules, field)), ['Post.rank'], `${rules} ${field}`)

  const fine: [rules: string, field: string][] = [
    ['', admin],
    ['@allow(role: "admin")', admin],
    ['@allow(to: [READ, UPDATE, DELETE]) @allow(role: "admin", to: [CREATE])', admin],
    ['@allow(who: "signedIn")', 'Int! @allow(role: "staff")'],
    ['@allow(role: "author")', 'Int! @allow(role: "staff")'],
    ['@allow(who: "signedIn")', 'Int! @allow(role: "admin", to: [UPDATE])'],
    ['@allow(who: "signedIn")', 'Int! @allow(where: {rank: {eq: {claim: "rank"}}})'],
    ['@allow(who: "signedIn")', 'Int @allow(role: "admin")'],
    ['@allow(who: "signedIn")', 'Int! @default(value: 1) @allow(role: "admin")'],
    ['@allow(who: "signedIn")', 'User! @default(value: VIEWER) @allow(role: "admin")'],
    ['@allow(who: "signedIn", to: [CREATE], fields: ["n"]) @allow(role: "staff", to: [CREATE])', 'Int!'],
  ]
  for (const [rules, field] of fine) assert.deepEqual(names(post(rules, field)), [], `${rules} ${field}`)
})

test('roles are set by an admin: required ones close the sign-up, but not an account that only its owner changes', () => {
  const account = (rules: string) => `type User @account ${rules} { id: ID! email: String! @unique roles: [String!]! }`
  assert.deepEqual(names(account('@allow(to: [CREATE])')), ['User.roles'])
  assert.deepEqual(names(account('@allow(who: "self")')), [])
})
