// Checks that a write expects to pass (`Query.expects`). They do not take a round trip of their own: one statement asserts all
// of them in front of the queries that follow. If one does not pass, the statement fails, the server skips the queries behind
// it, and the write is run again without assumptions, to find out which one it was.

import type { Query, QueryRows } from '../../sql/query.ts'
import { withShiftedParameters } from '../../sql/shifted-parameters.ts'

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
  #wereMade = false

  constructor(texts: AssertionTexts) {
    this.#texts = texts
  }

  /** Whether anything was assumed. */
  get wereMade(): boolean {
    return this.#wereMade
  }

  get arePending(): boolean {
    return this.#checks.length > 0
  }

  /** The rows that the queries return if all is well; null if they must be sent. */
  assume(queries: readonly Query[]): QueryRows[] | null {
    if (this.#checks.length + queries.length > maxChecks) return null
    if (queries.some(({ expects }) => expects === undefined)) return null
    this.#checks.push(...queries)
    this.#wereMade = true
    return queries.map(({ expects }) => (expects === 'row' ? someRow : noRows))
  }

  /** The statement that asserts what was assumed since the last one. It returns the id of the transaction. */
  takeAssertion(): Query {
    if (this.#checks.length === 0) return selectTransactionId
    const checks = this.#checks
    this.#checks = []
    return { ...this.#texts.of(checks), parameters: checks.flatMap(({ parameters }) => parameters) }
  }
}

/** How many texts are kept, before all are forgotten: one for each kind of write. */
const maxTexts = 1000

type Assertion = Pick<Query, 'sql' | 'looksAt'>

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

  of(checks: readonly Query[]): Assertion {
    let tree = this.#root
    for (const { sql, expects } of checks) {
      const known = tree[expects!]
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
