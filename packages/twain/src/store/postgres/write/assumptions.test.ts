import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Query } from '../../sql/query.ts'
import { AssertionTexts, Assumptions } from './assumptions.ts'

const check = (sql: string, expects: Query['expects'], ...parameters: string[]): Query => ({
  sql,
  parameters,
  ...(expects === undefined ? {} : { expects }),
})

test('checks are asserted by one statement, whose parameters are those of all', () => {
  const assumptions = new Assumptions(new AssertionTexts())
  const first = check('SELECT 1 FROM a WHERE id = $1 AND b = $2', 'row', 'x', 'y')
  const second = check(`SELECT 1 FROM c WHERE "$1" = '$1''$2' AND d = $1 OR e = $1`, 'none', 'z')
  assert.deepEqual(assumptions.assume([first]), [[[1]]])
  assert.deepEqual(assumptions.assume([second]), [[]])
  const [{ looksAt, ...assertion }] = assumptions.takeAssertion() as [Query]
  assert.deepEqual(assertion, {
    sql:
      'SELECT pg_current_xact_id()::text, 1 / CASE WHEN EXISTS (SELECT 1 FROM a WHERE id = $1 AND b = $2)' +
      ` AND NOT EXISTS (SELECT 1 FROM c WHERE "$1" = '$1''$2' AND d = $3 OR e = $3) THEN 1 ELSE 0 END`,
    parameters: ['x', 'y', 'z'],
    checks: [first, second],
  })
  // A unique value, which expects no row, has an index.
  assert.deepEqual([looksAt!('FROM a'), looksAt!('FROM c')], [true, false])
  assert.deepEqual([assumptions.arePending, assumptions.wereMade], [false, true])
})

test('a list with another query is sent, and so are very many checks', () => {
  const assumptions = new Assumptions(new AssertionTexts())
  assert.equal(assumptions.assume([check('SELECT 1', 'row'), check('INSERT', undefined)]), null)
  assert.equal(assumptions.assume(Array.from({ length: 33 }, () => check('SELECT 1', 'row'))), null)
  assert.deepEqual([assumptions.arePending, assumptions.wereMade], [false, false])
  assert.deepEqual(
    assumptions.takeAssertion().map(({ sql }) => sql),
    ['SELECT pg_current_xact_id()::text'],
  )
})

test('what a check reads is locked by statements before the one that asserts it, each lock once', () => {
  const assumptions = new Assumptions(new AssertionTexts())
  const lock = check('SELECT 1 FROM a WHERE id = $1 FOR SHARE', 'lock', 'x')
  assumptions.assume([lock, check('SELECT 1 FROM b', 'row')])
  assumptions.assume([{ ...lock }, check('SELECT 1 FROM c', 'row')])
  const [first, assertion, ...others] = assumptions.takeAssertion()
  assert.deepEqual([first, others], [lock, []])
  assert.match(assertion!.sql, /EXISTS \(SELECT 1 FROM b\) AND EXISTS \(SELECT 1 FROM c\)/)
})

test('writes take the locks of their rules in one order: by rank, statement and value, whatever they assumed first', () => {
  const lock = (sql: string, rank: number, ...parameters: string[]) => ({ ...check(sql, 'lock', ...parameters), rank })
  const given = [
    lock('club', 0, 'y'),
    lock('boss', 1, 'y'),
    lock('club', 0, 'x'),
    lock('boss', 1, 'x'),
    lock('club', 0, 'y'),
  ]
  for (const locks of [given, given.toReversed()]) {
    const assumptions = new Assumptions(new AssertionTexts())
    for (const one of locks) assumptions.assume([one])
    const taken = assumptions.takeAssertion().slice(0, -1)
    assert.deepEqual(
      taken.map(({ sql, parameters }) => `${sql} ${parameters}`),
      ['club x', 'club y', 'boss x', 'boss y'],
    )
  }
})
