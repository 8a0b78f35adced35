import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareModels } from './compare-models.ts'
import { loadModel } from './load-model.ts'

function compare(before: string, after: string): string[] {
  const differences = compareModels(loadModel(before, 'a.graphql'), loadModel(after, 'a.graphql'))
  return differences.map(({ kind, path, message }) => `${kind} ${path}: ${message}`)
}

const b = 'type B { id: ID! }'
const cases: [title: string, before: string, after: string, ...expected: string[]][] = [
  ['nothing', 'type A { id: ID! x: Int }', 'type A { id: ID! x: Int }'],
  [
    'a search that looks at other fields',
    'type A { id: ID! x: String @search y: String @search z: String }',
    'type A { id: ID! x: String y: String @search z: String @search }',
    'additive A.z: A.z is searched now',
    'additive A.x: A.x is no longer searched',
  ],
  [
    'a search that is gone',
    'type A { id: ID! x: String @search }',
    'type A { id: ID! x: String }',
    "breaking A: as can't be searched any more",
  ],
  ['a description', 'type A { id: ID! }', '"New" type A { "Own" id: ID! }'],
  [
    'an account type that is new',
    'type A { id: ID! }',
    `type A { id: ID! } type U @account { id: ID! email: String @unique }`,
    'additive U: type U is new',
    'additive U: rows of U can sign in',
  ],
  [
    'a type that signs in now',
    'type U { id: ID! email: String @unique }',
    'type U @account { id: ID! email: String @unique }',
    'breaking U: rows of U sign in now, and creating one takes a password',
  ],
  [
    'an account type no more',
    'type U @account { id: ID! email: String @unique }',
    'type U { id: ID! email: String @unique }',
    "breaking U: rows of U can't sign in any more",
  ],
  [
    'another account type',
    'type U @account { id: ID! email: String @unique } type V { id: ID! email: String @unique }',
    'type U { id: ID! email: String @unique } type V @account { id: ID! email: String @unique }',
    'breaking V: rows of U could sign in, and those of V can now',
  ],
  [
    'another login and other roles',
    'type U @account(roles: "x") { id: ID! email: String @unique name: String @unique x: String y: String }',
    'type U @account(login: "name", roles: "y") { id: ID! email: String @unique name: String @unique x: String y: String }',
    'breaking U: U signed in with email',
    'breaking U: the roles of U were in x, and are in y now',
  ],
  [
    'a reference that is set to the viewer now',
    'type U @account { id: ID! email: String @unique boss: U }',
    'type U @account { id: ID! email: String @unique boss: U @auto(set: VIEWER) }',
    'breaking U.boss: U.boss is set by the server now',
  ],
  [
    'the viewer, no default any more',
    'type P { id: ID! by: U! @default(value: VIEWER) } type U @account { id: ID! email: String @unique }',
    'type P { id: ID! by: U! } type U @account { id: ID! email: String @unique }',
    'breaking P.by: P.by has no default any more',
  ],
  ['a type that is gone', `type A { id: ID! } ${b}`, 'type A { id: ID! }', 'breaking B: type B is gone'],
  ['a new type', 'type A { id: ID! }', `type A { id: ID! } ${b}`, 'additive B: type B is new'],
  [
    'a type of another kind',
    `type A { id: ID! } ${b}`,
    'type A { id: ID! } enum B { X }',
    'breaking B: B was a resource and is an enum now',
  ],
  ['a field that is gone', 'type A { id: ID! x: Int }', 'type A { id: ID! }', 'breaking A.x: field A.x is gone'],
  ['a new optional field', 'type A { id: ID! }', 'type A { id: ID! x: Int }', 'additive A.x: field A.x is new'],
  ['a new required field', 'type A { id: ID! }', 'type A { id: ID! x: Int! }', 'breaking A.x: A.x is new and required'],
  [
    'a new required field with a default',
    'type A { id: ID! }',
    'type A { id: ID! x: Int! @default(value: 1) }',
    'additive A.x',
  ],
  [
    'a new time that the server sets',
    'type A { id: ID! }',
    'type A { id: ID! x: DateTime! @auto(set: CREATE_TIME) }',
    'additive A.x',
  ],
  [
    'another type',
    'type A { id: ID! x: Int }',
    'type A { id: ID! x: String }',
    'breaking A.x: A.x was Int and is String now',
  ],
  ['a list', 'type A { id: ID! x: Int }', 'type A { id: ID! x: [Int] }', 'breaking A.x: A.x was Int and is [Int] now'],
  ['items that may be null', 'type A { id: ID! x: [Int!] }', 'type A { id: ID! x: [Int] }', 'breaking A.x'],
  ['optional, now required', 'type A { id: ID! x: Int }', 'type A { id: ID! x: Int! }', 'breaking A.x'],
  ['required, now optional', 'type A { id: ID! x: Int! }', 'type A { id: ID! x: Int }', 'additive A.x'],
  [
    'a scalar that is a reference now',
    `type A { id: ID! x: ID } ${b}`,
    `type A { id: ID! x: B } ${b}`,
    'breaking A.x: A.x was ID and is a reference to B',
  ],
  [
    'a relation of another shape',
    'type A { id: ID! bs: [B!]! } type B { id: ID! a: A }',
    'type A { id: ID! bs: [B!]! } type B { id: ID! as: [A!]! }',
    'breaking A.bs: A.bs was the other side of B.a and is many-to-many with B.as now',
    'breaking B.a: field B.a is gone',
    'additive B.as',
  ],
  [
    'the order of two sides in the file',
    'type A { id: ID! bs: [B!]! } type B { id: ID! as: [A!]! }',
    'type B { id: ID! as: [A!]! } type A { id: ID! bs: [B!]! }',
  ],
  [
    'a new list of what refers here',
    'type A { id: ID! } type B { id: ID! a: A }',
    'type A { id: ID! bs: [B!]! } type B { id: ID! a: A }',
    'additive A.bs',
  ],
  [
    'another rule on delete',
    `type A { id: ID! x: B } ${b}`,
    `type A { id: ID! x: B @relation(onDelete: CASCADE) } ${b}`,
    'breaking A.x: A.x did SET_NULL on delete',
  ],
  [
    'another path',
    'type A { id: ID! }',
    'type A @resource(path: "x") { id: ID! }',
    'breaking A: the path of A was /as and is /x now',
  ],
  [
    'a new unique constraint',
    'type A { id: ID! x: Int }',
    'type A { id: ID! x: Int @unique }',
    'breaking A.x: A.x is unique now',
  ],
  [
    'a new unique field',
    'type A { id: ID! }',
    'type A { id: ID! x: Int @unique }',
    'additive A.x',
    'additive A.x: unique index',
  ],
  [
    'a new unique field with one default for all',
    'type A { id: ID! }',
    'type A { id: ID! x: Int @unique @default(value: 1) }',
    'additive A.x',
    'breaking A.x',
  ],
  [
    'a new unique field with one time for all',
    'type A { id: ID! }',
    'type A { id: ID! x: DateTime! @unique @auto(set: CREATE_TIME) }',
    'additive A.x',
    'breaking A.x',
  ],
  [
    'a new index',
    'type A { id: ID! x: Int y: Int }',
    'type A { id: ID! x: Int @index(with: "y") y: Int }',
    'additive A.x+y: index on A.x+y is new',
  ],
  [
    'an index that is gone',
    'type A { id: ID! x: Int @unique }',
    'type A { id: ID! x: Int }',
    'additive A.x: unique index on A.x is gone',
  ],
  [
    'a value that is gone',
    'type A { id: ID! } enum E { X Y }',
    'type A { id: ID! } enum E { X }',
    'breaking E.Y: the value Y of E is gone',
  ],
  ['a new value', 'type A { id: ID! } enum E { X }', 'type A { id: ID! } enum E { X Y }', 'additive E.Y'],
  [
    'a new required field in a value',
    'type A { id: ID! } type V { x: Int }',
    'type A { id: ID! } type V { x: Int y: Int! @default(value: 1) }',
    'breaking V.y',
  ],
  [
    'a new optional field in a value',
    'type A { id: ID! } type V { x: Int }',
    'type A { id: ID! } type V { x: Int y: Int }',
    'additive V.y',
  ],
  [
    'another field of a value',
    'type A { id: ID! } type V { x: Int y: Int z: Int! }',
    'type A { id: ID! } type V { x: String y: Int! z: Int }',
    'breaking V.x',
    'breaking V.y',
    'additive V.z',
  ],
  [
    'a narrower constraint',
    'type A { id: ID! x: Int @constraint(max: 9) }',
    'type A { id: ID! x: Int @constraint(max: 5) }',
    'breaking A.x: max of A.x was 9 and is 5 now',
  ],
  [
    'a wider constraint',
    'type A { id: ID! x: Int @constraint(min: 9) }',
    'type A { id: ID! x: Int @constraint(min: 5) }',
    'additive A.x',
  ],
  [
    'another pattern',
    'type A { id: ID! x: String @constraint(pattern: "a") }',
    'type A { id: ID! x: String @constraint(pattern: "b") }',
    'breaking A.x',
  ],
  [
    'a constraint that is gone',
    'type A { id: ID! x: Int @constraint(min: 9) }',
    'type A { id: ID! x: Int }',
    'additive A.x',
  ],
  [
    'a field that can no longer be changed',
    'type A { id: ID! x: Int }',
    'type A { id: ID! x: Int @immutable }',
    'breaking A.x',
  ],
  [
    'a default that is gone',
    'type A { id: ID! x: Int! @default(value: 1) }',
    'type A { id: ID! x: Int! }',
    'breaking A.x',
  ],
  [
    'a field that the server sets now',
    'type A { id: ID! x: DateTime }',
    'type A { id: ID! x: DateTime @auto(set: CREATE_TIME) }',
    'breaking A.x',
  ],
  [
    'a type that left a union',
    `type A { id: ID! } ${b} union U = A | B`,
    `type A { id: ID! } ${b} union U = A`,
    'breaking B: B is no longer a U',
  ],
  [
    'a new type in a union',
    `type A { id: ID! } ${b} union U = A`,
    `type A { id: ID! } ${b} union U = A | B`,
    'additive U: B is a U now',
  ],
]

for (const [title, before, after, ...expected] of cases) {
  test(`compared: ${title}`, () => {
    const told = compare(before, after)
    assert.equal(told.length, expected.length, told.join('\n'))
    for (const [index, start] of expected.entries()) assert.ok(told[index]?.startsWith(start), told[index])
  })
}
