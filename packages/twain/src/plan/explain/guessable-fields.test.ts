import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadModel } from '#model'
import { guessableFields } from './guessable-fields.ts'

function guessed(sdl: string): string[] {
  const found = guessableFields(loadModel(sdl, 'schema.graphql'))
  return found.map(({ field, by }) => `${field.owner.name}.${field.name}: ${by.map(({ name }) => name).join(' ')}`)
}

const user = 'type User @account @allow(to: [READ, CREATE]) @allow(who: "self")'
const hidden = '@allow(who: "self", to: [READ])'

test('a unique field that someone may write and not read can be guessed; but for the login', () => {
  assert.deepEqual(guessed(`${user} { id: ID! email: String! @unique ${hidden} phone: String @unique ${hidden} }`), [
    'User.phone: nobody signedIn operator',
  ])
})

test('so can one that is unique together with what they may write', () => {
  const line = '@allow(role: "auditor")'
  assert.deepEqual(
    guessed(`${user} { id: ID! email: String! @unique }
      type Box @allow(who: "signedIn") @allow(role: "auditor") {
        id: ID! title: String @unique(with: ["mark"]) mark: String ${line} other: String ${line}
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
