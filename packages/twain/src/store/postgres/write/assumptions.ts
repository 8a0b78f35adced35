// Checks that a write expects to pass (`Query.expects`). They do not take a round trip of their own: one statement asserts all
// of them in front of the queries that follow. If one does not pass, the statement fails, the server skips the queries behind
// it, and the write is run again without assumptions, to find out which one it was.

import type { Query, QueryRows } from '../../sql/query.ts'

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
    return { sql: this.#texts.textOf(checks), parameters: checks.flatMap(({ parameters }) => parameters) }
  }
}

/** How many texts are kept: one for each kind of write. */
const maxTexts = 1000

/** The texts of assertions, by their checks. */
export class AssertionTexts {
  readonly #texts = new Map<string, string>()

  textOf(checks: readonly Query[]): string {
    const key = checks.map(({ sql, expects }) => `${expects}\0${sql}`).join('\0')
    const known = this.#texts.get(key)
    if (known !== undefined) return known
    const text = assertionOf(checks)
    if (this.#texts.size >= maxTexts) this.#texts.delete(this.#texts.keys().next().value!)
    this.#texts.set(key, text)
    return text
  }
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

/** Literals and quoted names may contain `$1` too. */
const tokens = /'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\d+)/g

function withShiftedParameters(sql: string, by: number): string {
  if (by === 0) return sql
  return sql.replace(tokens, (token, number: string | undefined) =>
    number === undefined ? token : `$${Number(number) + by}`,
  )
}
