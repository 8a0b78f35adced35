// Checks that a write expects to pass (`Query.expects`). They do not take a round trip of their own: one statement asserts all
// of them in front of the queries that follow. If one does not pass, the statement fails, the server skips the queries behind
// it, and the write is run again without assumptions, to find out which one it was.

import type { SqlValue } from '../../sql/encode.ts'
import { checkedId, type Query, type QueryRows } from '../../sql/query.ts'
import { withShiftedParameters } from '../../sql/shifted-parameters.ts'
import { inLockOrder } from '../../write/steps/query-step.ts'

/** division_by_zero: the error of an assertion that does not hold. */
export const assumptionFailed = '22012'

/** More checks are sent by themselves. */
const maxChecks = 32

const transactionId = 'pg_current_xact_id()::text'
/** An assertion of nothing. */
export const selectTransactionId: Query = { sql: `SELECT ${transactionId}`, parameters: [] }

const someRow: QueryRows = [[1]]
const noRows: QueryRows = []

export class Assumptions {
  readonly #texts: AssertionTexts
  #checks: Query[] = []
  #locks: Query[] = []
  #wereMade = false

  constructor(texts: AssertionTexts) {
    this.#texts = texts
  }

  /** Whether anything was assumed. */
  get wereMade(): boolean {
    return this.#wereMade
  }

  get arePending(): boolean {
    return this.#checks.length > 0 || this.#locks.length > 0
  }

  /** The rows that the queries return if all is well; null if they must be sent. */
  assume(queries: readonly Query[]): QueryRows[] | null {
    if (this.#checks.length + this.#locks.length + queries.length > maxChecks) return null
    if (queries.some(({ expects }) => expects === undefined)) return null
    for (const query of queries) (query.expects === 'lock' ? this.#locks : this.#checks).push(query)
    this.#wereMade = true
    return queries.map(({ expects }) => (expects === 'row' ? someRow : noRows))
  }

  /** The locks of what was assumed since the last assertion, and the statement that asserts it. The last one returns the id of the
   *  transaction. A statement of its own must have locked what the assertion reads: it sees what others committed meanwhile. */
  takeAssertion(): readonly Query[] {
    const [checks, locks] = [this.#checks, this.#locks]
    this.#checks = []
    this.#locks = []
    const assertion = checks.length === 0 ? selectTransactionId : this.#texts.assertionOf(checks)
    return locks.length === 0 ? [assertion] : [...inLockOrder(locks), assertion]
  }
}

/** How many texts are kept, before all are forgotten: one for each kind of write. */
const maxTexts = 1000

type Assertion = Required<Pick<Query, 'sql' | 'looksAt'>>

/** The texts that begin with the same checks. */
interface AssertionTree {
  assertion: Assertion | null
  /** By the SQL of the next check. */
  row: Map<string, AssertionTree>
  none: Map<string, AssertionTree>
}

/** The texts of assertions, by their checks. Each check is one lookup by a text that is there: to join their texts for a key would cost
 *  more than the rest of the assertion. */
export class AssertionTexts {
  #root = emptyTree()
  #count = 0
  readonly #ofIds = new Map<string, string>()

  assertionOf(checks: readonly Query[]): Query {
    const { sql, looksAt } = this.#of(checks)
    const parameters: SqlValue[] = []
    for (const check of checks) for (const value of check.parameters) parameters.push(value)
    return { sql, looksAt, parameters, checks }
  }

  /** Asserts checks of several writes. `ids`: those of each `Query.ofEachId`. */
  assertionOfIds(ids: ReadonlyMap<string, ReadonlySet<string>>): Query {
    if (ids.size === 0) return selectTransactionId
    const checks = [...ids.keys()].sort()
    const key = checks.join('\n')
    let sql = this.#ofIds.get(key)
    if (sql === undefined) {
      sql = assertionOfIds(checks)
      this.#ofIds.set(key, sql)
    }
    return { sql, parameters: checks.map((check) => textArray([...ids.get(check)!])) }
  }

  #of(checks: readonly Query[]): Assertion {
    let tree = this.#root
    for (const { sql, expects } of checks) {
      const known = expects === 'row' ? tree.row : tree.none
      let next = known.get(sql)
      if (next === undefined) {
        next = emptyTree()
        known.set(sql, next)
      }
      tree = next
    }
    if (tree.assertion !== null) return tree.assertion
    if (this.#count++ >= maxTexts) {
      this.#root = emptyTree()
      this.#count = 0
    }
    tree.assertion = { sql: assertionOf(checks), looksAt: looksOf(checks) }
    return tree.assertion
  }
}

function emptyTree(): AssertionTree {
  return { assertion: null, row: new Map(), none: new Map() }
}

function assertionOf(checks: readonly Query[]): string {
  let before = 0
  const conditions = checks.map(({ sql, parameters, expects }) => {
    const condition = `${expects === 'row' ? '' : 'NOT '}EXISTS (${withShiftedParameters(sql, before)})`
    before += parameters.length
    return condition
  })
  return `SELECT ${transactionId}, 1 / CASE WHEN ${conditions.join(' AND ')} THEN 1 ELSE 0 END`
}

/** The text is the same for any number of ids, and PostgreSQL looks up each by itself, whatever it believes their number to be. */
function assertionOfIds(checks: readonly string[]): string {
  const [table, column] = checkedId.split('.')
  const conditions = checks.map(
    (check, index) =>
      `NOT EXISTS (SELECT 1 FROM unnest($${index + 1}::text[]) AS ${table} (${column}) WHERE NOT EXISTS (${check}))`,
  )
  return `SELECT ${transactionId}, 1 / CASE WHEN ${conditions.join(' AND ')} THEN 1 ELSE 0 END`
}

function textArray(texts: readonly string[]): string {
  const quoted = texts.map((text) => `"${/["\\]/.test(text) ? text.replaceAll(/["\\]/g, '\\$&') : text}"`)
  return `{${quoted.join(',')}}`
}

/** Unique values, which expect no row, have an index that decides. */
function looksOf(checks: readonly Query[]): (table: string) => boolean {
  const texts = checks.filter(({ expects }) => expects === 'row').map(({ sql }) => sql)
  const known = new Map<string, boolean>()
  return (table) => {
    let looks = known.get(table)
    if (looks === undefined) {
      looks = texts.some((sql) => sql.includes(table))
      known.set(table, looks)
    }
    return looks
  }
}
