import { test } from 'node:test'
import { expectMistakes, type MistakeCase } from '../expect-mistake.ts'

const cases: Record<string, MistakeCase> = {
  'a value that signs in': ['type A { id: ID! v: V } type V ‹@account { email: String }', 'no rows that could sign in'],
  'a second account type': [
    'type U ‹@account { id: ID! email: String @unique } type W ‹@account { id: ID! email: String @unique }',
    'not built yet',
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
  'roles in a number': ['type U @account(roles: ‹"n") { id: ID! email: String @unique n: Int }', "can't hold roles"],
}

for (const [title, mistake] of Object.entries(cases))
  test(`@account with ${title} is a mistake`, () => expectMistakes(mistake))
