import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expectMistakes, type MistakeCase } from '../expect-mistake.fixture.ts'
import { loadModel } from '../load-model.ts'

const rest = `type Member { id: ID! team: Team! user: User! @default(value: VIEWER) role: Role! since: Date note: String @constraint(maxLength: 3)
    at: DateTime @auto(set: CREATE_TIME) by: User @auto(set: VIEWER) place: Place other: Team @relation(onDelete: CASCADE) tags: [Tag!]! }
  enum Role { OWNER GUEST } type Place { city: String! country: String! @default(value: "NO") } type Tag { id: ID! }
  type User @account { id: ID! email: String @unique }`
const team = (value: string) =>
  `type Team { id: ID! members: [Member!]! @relation(inverse: "team") @default(value: ${value}) } ${rest}`

test('default children are stored by the fields of their type', () => {
  const { resources } = loadModel(
    team('[{user: VIEWER, role: OWNER, place: {city: "Oslo"}}, {user: "u1", role: GUEST, since: null}]'),
    'test.graphql',
  )
  const members = resources[0]!.fields.get('members')
  assert.ok(members?.kind === 'many')
  const rows = members.defaultChildren.map((row) =>
    Object.fromEntries([...row].map(([{ name }, value]) => [name, value])),
  )
  assert.deepEqual(rows, [
    { user: { viewer: true }, role: { value: 'OWNER' }, place: { value: { city: 'Oslo', country: 'NO' } } },
    { user: { value: 'u1' }, role: { value: 'GUEST' }, since: { value: null } },
  ])
})

test('a list without a default creates no children', () => {
  const members = loadModel(team('[]'), 'test.graphql').resources[0]!.fields.get('members')
  assert.deepEqual(members?.kind === 'many' && members.defaultChildren, [])
})

const cases: Record<string, MistakeCase> = {
  'no list': [team('‹{role: OWNER}'), 'rows of Member to create'],
  'no row': [team('[‹OWNER]'), 'not OWNER'],
  'an unknown field': [team('[{role: OWNER, ‹usr: VIEWER}]'), 'Did you mean "user"'],
  'the way back': [team('[{role: OWNER, ‹team: "t1"}]'), 'Leave it out'],
  'an id': [team('[{role: OWNER, ‹id: "m1"}]'), 'set by the server'],
  'what the server sets': [team('[{role: OWNER, ‹at: "2024-05-01T12:00:00Z"}]'), 'set by the server'],
  'the viewer, where the server sets it anyway': [team('[{role: OWNER, ‹by: VIEWER}]'), 'set by the server'],
  'a many-to-many relation': [team('[{role: OWNER, ‹tags: ["t1"]}]'), 'not stored in the row'],
  'a value of another type': [team('[{role: ‹BOSS}]'), "Member.role can't be BOSS"],
  'a value against its constraint': [team('[{role: OWNER, note: ‹"long"}]'), 'at most 3 characters'],
  'a value that is not whole': [team('[{role: OWNER, place: ‹{}}]'), 'lacks city'],
  'null for what is required': [team('[{role: ‹null}]'), 'required'],
  'null for a required reference': [team('[{role: OWNER, user: ‹null}]'), "can't be null"],
  'the viewer for what is no account': [team('[{role: OWNER, other: ‹VIEWER}]'), 'Make it a reference to User'],
  'the viewer for a text': [team('[{role: OWNER, note: ‹VIEWER}]'), "can't be VIEWER"],
  'a missing required field': [team('[{role: OWNER}, ‹{user: VIEWER}]'), 'A Member needs role'],
  'a field that stands twice': [team('[{role: OWNER, ‹role: GUEST}]'), 'twice'],
}

for (const [title, mistake] of Object.entries(cases))
  test(`@default on a list with ${title} is a mistake`, () => expectMistakes(mistake))
