import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { loadModel } from '#model'
import type { Guard } from '#plan'
import { guardOf, resourceOf } from '../plan.fixture.ts'
import { sqlite } from '../sqlite/dialect.ts'
import { createTables } from '../sqlite/migrate/tables.ts'
import { layOut } from '../tables/layout.ts'
import { bindRead } from './bind.ts'
import type { SqlValue } from './encode.ts'
import type { CompiledRead } from './read.ts'
import { compileRowCheck, compileVirtualRowCheck } from './row-check.ts'

const model = loadModel(
  `
  type User @account { id: ID! email: String! @unique }
  type Team { id: ID! open: Boolean size: Int share: Float price: Decimal tags: [String!] owner: User about: Any
    members: [Member!]! lead: User friends: [Team!]! @relation(inverse: "friends") }
  type Member { id: ID! team: Team! user: User! role: String }
  union Any = User | Team
  `,
  'test.graphql',
)
const { layout } = layOut(model, null)
const team = resourceOf(model, 'Team')

const database = new DatabaseSync(':memory:')
createTables(database, model, layout)
database.exec(`
  INSERT INTO User (id, _version, email) VALUES ('ann', 1, 'a'), ('bob', 1, 'b');
  INSERT INTO Team (id, _version, open, size, owner) VALUES ('t', 1, 1, 3, 'ann');
  INSERT INTO Member (id, _version, team, user) VALUES ('m', 1, 't', 'bob');
`)

const rule = (where: unknown): Guard => guardOf(model, 'Team', where)

function passes(compiled: CompiledRead, account: string | null, row: { [column: string]: SqlValue }): boolean {
  const { sql, parameters, idAt, columnsAt } = bindRead(compiled, [], { account }, sqlite)
  for (const at of idAt) parameters[at] = row.id!
  for (const { at, column } of columnsAt) parameters[at] = row[column] ?? null
  return database.prepare(sql).get(...parameters) !== undefined
}

test('an existing row is checked by its id', () => {
  const compiled = compileRowCheck(rule({ open: { eq: true }, owner: { isViewer: true } }), team, layout, sqlite)
  assert.equal(compiled.sql, 'SELECT 1 FROM "Team" AS t1 WHERE t1."id" = ?1 AND (t1."open" = ?2 AND t1."owner" = ?3)')
  assert.deepEqual(compiled.parameters, [{ kind: 'id' }, { kind: 'constant', value: 1 }, { kind: 'viewer' }])
  assert.equal(passes(compiled, 'ann', { id: 't' }), true)
  assert.equal(passes(compiled, 'bob', { id: 't' }), false)
  assert.equal(passes(compiled, null, { id: 't' }), false)
  assert.equal(passes(compiled, 'ann', { id: 'none' }), false)
})

test('a new row is checked by its columns, and only the columns that the rule reads are bound', () => {
  const compiled = compileVirtualRowCheck(rule({ open: { eq: true }, owner: { isViewer: true } }), team, layout, sqlite)
  assert.equal(
    compiled.sql,
    'SELECT 1 FROM (SELECT CAST(?3 AS INTEGER) AS "open", CAST(?4 AS TEXT) AS "owner") AS t1 WHERE (t1."open" = ?1 AND t1."owner" = ?2)',
  )
  assert.equal(passes(compiled, 'ann', { open: 1, owner: 'ann' }), true)
  assert.equal(passes(compiled, 'ann', { open: 0, owner: 'ann' }), false)
  assert.equal(passes(compiled, 'bob', { open: 1, owner: 'ann' }), false)
  assert.equal(passes(compiled, null, { open: 1, owner: null }), false)
})

test('columns of a virtual row compare as those of the table do', () => {
  const same: [where: unknown, column: string, value: SqlValue][] = [
    [{ size: { eq: 3 } }, 'size', 3],
    [{ size: { in: [2, 3] } }, 'size', 3],
    [{ share: { eq: 2 ** 60 } }, 'share', 2 ** 60],
    [{ share: { in: [0.5] } }, 'share', 0.5],
    [{ open: { eq: true } }, 'open', 1],
    [{ id: { eq: '7' } }, 'id', '7'],
    [{ tags: { contains: 'x' } }, 'tags', '["x"]'],
    [{ lead: { isNull: false } }, 'lead', 'ann'],
    [{ lead: { email: { eq: 'a' } } }, 'lead', 'ann'],
    [{ not: { size: { eq: 4 } } }, 'size', null],
  ]
  for (const [where, column, value] of same) {
    assert.equal(
      passes(compileVirtualRowCheck(rule(where), team, layout, sqlite), null, { [column]: value }),
      true,
      JSON.stringify(where),
    )
    const negated = compileVirtualRowCheck(rule({ not: where }), team, layout, sqlite)
    assert.equal(passes(negated, null, { [column]: value }), false, JSON.stringify(where))
  }
})

test('a reference to one of several types is checked by both of its columns', () => {
  const compiled = compileVirtualRowCheck(rule({ about: { isViewer: true } }), team, layout, sqlite)
  assert.equal(passes(compiled, 'ann', { about: 'ann', about_type: 'User' }), true)
  assert.equal(passes(compiled, 'ann', { about: 'ann', about_type: 'Team' }), false)
  assert.equal(passes(compiled, 'bob', { about: 'ann', about_type: 'User' }), false)
})

test('lists are read as they are stored, by the id that the row has or will have', () => {
  const compiled = compileVirtualRowCheck(
    rule({ members: { some: { user: { isViewer: true } } } }),
    team,
    layout,
    sqlite,
  )
  assert.equal(passes(compiled, 'bob', { id: 't' }), true)
  assert.equal(passes(compiled, 'ann', { id: 't' }), false)
  assert.equal(passes(compiled, 'bob', { id: 'new' }), false)
})

test('a viewer without an account matches no row, also in a negated rule', () => {
  const own = rule({ owner: { isViewer: true } })
  const others: Guard = { kind: 'not', of: own }
  assert.equal(passes(compileRowCheck(others, team, layout, sqlite), null, { id: 't' }), true)
  assert.equal(passes(compileRowCheck(others, team, layout, sqlite), 'ann', { id: 't' }), false)
  assert.equal(passes(compileVirtualRowCheck(others, team, layout, sqlite), null, { owner: null }), true)
  const notOwn = rule({ owner: { isViewer: false } })
  assert.equal(passes(compileVirtualRowCheck(notOwn, team, layout, sqlite), 'ann', { owner: null }), false)
  assert.equal(passes(compileVirtualRowCheck(notOwn, team, layout, sqlite), null, { owner: 'ann' }), true)
})

test('a rule that reads no column is checked too', () => {
  assert.equal(passes(compileVirtualRowCheck({ kind: 'constant', is: true }, team, layout, sqlite), null, {}), true)
  assert.equal(passes(compileVirtualRowCheck({ kind: 'constant', is: false }, team, layout, sqlite), null, {}), false)
})
