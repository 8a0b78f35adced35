import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expectMistakes, type MistakeCase } from '../expect-mistake.fixture.ts'
import { loadModel } from '../load-model.ts'
import type { Resource, Rule } from '../model.ts'

const user = 'type U @account { id: ID! email: String @unique }'

const cases: Record<string, MistakeCase> = {
  'a path that leads nowhere': [`type P @allow(who: ‹"auhtor") { id: ID! author: U } ${user}`, 'Did you mean "author"'],
  'a path that ends at a stored field': [
    `type P @allow(who: ‹"title") { id: ID! title: Int author: U } ${user}`,
    'not a row',
  ],
  'a path that breaks off in the middle': [
    `type P @allow(who: ‹"team.membrs") { id: ID! team: T } type T { id: ID! members: [U!]! } ${user}`,
    'T has no field membrs',
  ],
  'an unknown field in fields': [
    'type P @allow(to: [UPDATE], fields: ["title", ‹"nte"]) { id: ID! title: String note: String }',
    'Did you mean "note"',
  ],
  'verified without accounts': ['type P @allow(verified: ‹true) { id: ID! }', 'verified: true needs accounts'],
  'verified: false': [`type P @allow(verified: ‹false) { id: ID! } ${user}`, 'Leave it out'],
  'verified, and nobody is asked for a proof': [
    'type P @allow(verified: ‹true) { id: ID! } type U @account(verification: OFF) { id: ID! email: String @unique }',
    'no U can prove its address',
  ],
  'verified, and logins are no addresses': [
    'type P { id: ID! t: String @allow(verified: ‹true) } type U @account(login: "name") { id: ID! name: String @unique }',
    'would never hold',
  ],
  'no field in fields': ['type P @allow(to: [UPDATE], fields: ‹[]) { id: ID! title: String }', 'allows nothing'],
  'a field that fields has twice': [
    'type P @allow(fields: ["title", ‹"title"]) { id: ID! title: String }',
    'listed twice',
  ],
  'the id in fields': ['type P @allow(to: [READ], fields: [‹"id"]) { id: ID! title: String }', 'know its id'],
  'DELETE and AUDIT of fields': [
    'type P @allow(to: [‹DELETE, ‹AUDIT, READ], fields: ["title"]) { id: ID! title: String }',
    'DELETE has no meaning with fields',
    'AUDIT has no meaning with fields',
  ],
  'fields that the server sets': [
    'type P @allow(to: [UPDATE], fields: [‹"at", "title"]) { id: ID! title: String at: DateTime @auto(set: CREATE_TIME) }',
    'UPDATE has no meaning on P.at: it is set by the server',
  ],
  'a list in fields whose rows follow other rules': [
    'type P @allow(to: [UPDATE], fields: [‹"qs"]) { id: ID! qs: [Q!]! } type Q @allow { id: ID! p: P }',
    'it is written as Q.p',
  ],
  'fields on a field': ['type P { id: ID! x: Int @allow(fields: ‹["x"]) }', 'Write it on the type P'],
  'the roles of accounts in fields': [
    'type U @account @allow(role: "hr", to: [UPDATE], fields: [‹"roles"]) { id: ID! email: String @unique roles: [String!] }',
    'unless a rule on the field itself allows it',
  ],
  'who is signed in, without an account type': ['type P @allow(who: ‹"signedIn") { id: ID! }', 'no type has @account'],
  '"self" on another type': [`type P @allow(who: ‹"self") { id: ID! author: U } ${user}`, 'P is not U'],
  'an empty role': ['type P @allow(role: ‹"") { id: ID! }', "A role can't be empty"],
  'nothing that it allows': ['type P @allow(to: ‹[]) { id: ID! }', 'allows nothing'],
  'null for a role': ['type P @allow(role: ‹null, to: [READ]) { id: ID! }', "can't be null"],
  'null for who': ['type P @allow(who: ‹null) { id: ID! }', 'leave who out'],
  'null for what it allows': ['type P @allow(to: ‹null) { id: ID! }', "can't be null"],
  'null among what it allows': ['type P @allow(to: [READ, ‹null]) { id: ID! }', "can't be null"],
  'null for its filter': ['type P @allow(where: ‹null) { id: ID! }', "can't be null"],
  'nothing that it allows on a field': ['type P { id: ID! x: Int @allow(to: ‹[]) }', 'allows nothing'],
  'null for a role on a field': ['type P { id: ID! x: Int @allow(role: ‹null) }', "can't be null"],
  'an unknown action': ['type P @allow(to: [‹REED]) { id: ID! }', 'Did you mean "READ"'],
  'a filter by an unknown field': ['type P @allow(where: {‹titel: {eq: "x"}}) { id: ID! title: String }', '"title"'],
  'isViewer at another place of a filter': [
    `type P @allow(where: {‹isViewer: true}) { id: ID! author: U } ${user}`,
    'P is not U',
  ],
  'AUDIT on a field': ['type P { id: ID! x: Int @allow(to: [‹AUDIT]) }', 'the same for all fields of a row'],
  'ACT_AS on a field': [
    `${user} type P { id: ID! x: Int @allow(to: [‹ACT_AS]) }`,
    'whoever acts as an account has its rights on all fields',
  ],
  'ACT_AS on a type that is no account': [
    `${user} type P @allow(role: "x", to: [READ, ‹ACT_AS]) { id: ID! }`,
    'ACT_AS has no meaning on P',
  ],
  'ACT_AS without accounts': ['type P @allow(role: "x", to: [‹ACT_AS]) { id: ID! }', 'Write @account'],
  'ACT_AS for everybody': [
    'type V @account @allow(who: "signedIn", to: [READ, ‹ACT_AS]) { id: ID! email: String! @unique }',
    'Everybody could act as everybody',
  ],
  'ACT_AS as oneself': [
    'type V @account @allow(who: "self", to: [‹ACT_AS]) { id: ID! email: String! @unique }',
    'everybody acts as themselves',
  ],
  'a misspelt ACT_AS': [
    'type V @account @allow(role: "x", to: [‹ACTAS]) { id: ID! email: String! @unique }',
    'Did you mean "ACT_AS"',
  ],
  'the id of a row': ['type P { id: ID! ‹@allow(role: "x") }', 'Write it on the type P'],
  'DELETE on a field': ['type P { id: ID! x: Int @allow(to: [READ, ‹DELETE]) }', "a field can't be deleted"],
  'a write of what the server sets': [
    'type P { id: ID! x: DateTime @auto(set: CREATE_TIME) @allow(to: ‹UPDATE) }',
    'it is set by the server',
  ],
  'an update of what is immutable': ['type P { id: ID! x: Int @immutable @allow(to: [‹UPDATE]) }', 'it is @immutable'],
  'a write of what has no column': [
    'type P { id: ID! qs: [Q!]! @allow(to: [‹CREATE]) } type Q { id: ID! p: P }',
    'it is written as Q.p',
  ],
  'a value, which has no rows,': ['type A { id: ID! v: V } type V ‹@allow { x: Int }', 'no rows of its own'],
}

for (const [title, mistake] of Object.entries(cases))
  test(`@allow with ${title} is a mistake`, () => expectMistakes(mistake))

/** Describes a rule in one phrase. */
function describeRule({ who, role, to, where, place }: Rule): string {
  const name = who.kind === 'path' ? who.path.map((field) => `${field.owner.name}.${field.name}`).join(' ') : who.kind
  return [`${place.line}:`, name, role ?? '-', to.join(' '), where === null ? '-' : JSON.stringify(where)].join(' ')
}

test('the @allow rules of a type are in the order of the file', () => {
  const { resources } = loadModel(
    `type Post
       @allow(to: READ, where: {status: {eq: PUBLISHED}, author: {isViewer: false}})
       @allow(who: "signedIn", to: [DELETE, READ])
       @allow(who: "author")
       @allow(who: "team.members", role: "editor")
       @allow(who: "team", to: [READ])
       @allow(role: "admin") { id: ID! status: Status author: U team: Team }
     enum Status { DRAFT PUBLISHED } type Team { id: ID! members: [U!]! }
     ${user.replace('{', '@allow(who: "self") {')}`,
    'test.graphql',
  )
  const every = 'READ CREATE UPDATE DELETE'
  assert.deepEqual(resources[0]!.rules.map(describeRule), [
    '2: anyone - READ {"status":{"eq":"PUBLISHED"},"author":{"isViewer":false}}',
    '3: signedIn - READ DELETE -',
    `4: Post.author - ${every} -`,
    `5: Post.team Team.members editor ${every} -`,
    '6: Post.team - READ -',
    `7: anyone admin ${every} -`,
  ])
  assert.deepEqual(resources[1]!.rules, [])
  assert.deepEqual(resources[2]!.rules.map(describeRule), [`9: self - ${every} -`])
})

test('the @allow rules of a field cover the actions that are possible with it', () => {
  const { resources } = loadModel(
    `type P { id: ID! a: Int @allow(role: "x") @allow(role: "y", to: [READ]) b: Int @immutable @allow(role: "x")
       c: DateTime @auto(set: CREATE_TIME) @allow(role: "x") qs: [Q!]! @allow(role: "x") by: U @auto(set: VIEWER) @allow(role: "x") d: Int }
     type Q { id: ID! p: P } ${user}`,
    'test.graphql',
  )
  const rulesByField = [...resources[0]!.fields.values()].map(({ name, rules }) => [
    name,
    ...rules.map(({ to }) => to.join(' ')),
  ])
  assert.deepEqual(rulesByField, [
    ['id'],
    ['a', 'READ CREATE UPDATE', 'READ'],
    ['b', 'READ CREATE'],
    ['c', 'READ'],
    ['qs', 'READ'],
    ['by', 'READ CREATE'],
    ['d'],
  ])
})

test('fields of a rule are fields of its type, also lists and computed fields; without `to` it is for all that fields can do', () => {
  const { resources } = loadModel(
    `type P @allow(fields: ["a", "c"]) @allow(to: [READ, UPDATE], fields: ["qs", "at"]) @allow(to: UPDATE, fields: "a") {
       id: ID! a: Int c: Int @computed(from: ["a"]) qs: [Q!]! at: DateTime @auto(set: CREATE_TIME) }
     type Q @allow(who: "p") { id: ID! p: P }
     type U @account @allow(role: "admin", to: [UPDATE], fields: ["roles"]) { id: ID! email: String @unique roles: [String!] }`,
    'test.graphql',
  )
  assert.deepEqual(
    resources[0]!.rules.map(({ to, fields }) => [to.join(' '), fields?.map(({ name }) => name).join(' ')]),
    [
      ['READ CREATE UPDATE', 'a c'],
      ['READ UPDATE', 'qs at'],
      ['UPDATE', 'a'],
    ],
  )
  assert.equal(resources[2]!.rules[0]!.fields?.[0], resources[2]!.fields.get('roles'))
})

test('ACT_AS neither opens nor closes the account type, and no rule allows it without naming it', () => {
  const sdl = (rules: string) => `type V @account ${rules} { id: ID! email: String! @unique boss: V }`
  const rulesOf = (rules: string) => {
    const [{ rules: rows, actRules }] = loadModel(sdl(rules), 'a.graphql').resources as [Resource]
    return [rows.length, actRules.map(({ role, who }) => role ?? who.kind)]
  }
  assert.deepEqual(rulesOf('@allow(role: "admin")'), [1, []])
  assert.deepEqual(rulesOf('@allow(role: "x", to: [ACT_AS, AUDIT]) @allow(who: "boss", to: [READ, ACT_AS])'), [
    1,
    ['x', 'path'],
  ])
})

test('AUDIT neither opens nor closes a type, and no rule allows it without naming it', () => {
  const model = loadModel(
    'type P @allow { id: ID! } type Q @allow(role: "x", to: [READ, AUDIT]) { id: ID! }',
    'a.graphql',
  )
  const [p, q] = model.resources.map(({ rules, auditRules }) => [rules.map(({ to }) => to), auditRules.length])
  assert.deepEqual(p, [[['READ', 'CREATE', 'UPDATE', 'DELETE']], 0])
  assert.deepEqual(q, [[['READ']], 1])
})
