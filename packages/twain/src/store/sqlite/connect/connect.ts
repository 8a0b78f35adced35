// Opens connections to the SQLite file with durable settings, and reads those back. A setting that SQLite did not apply (an
// old library, a file system without WAL) stops the start.

import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { Cache, CacheBudget, canonicalDecimal, foldText, formatDateTime, numberDigits, textKey } from '#base'
import { wallTime } from '#base/time'
import { defaultLimits } from '#plan'
import { writeCursor } from '#plan/build'
import { encodeExact } from '../../sql/encode.ts'
import { StartRefused } from '../../tables/start-refused.ts'
import { addAggregateFunctions } from '../aggregates/functions.ts'
import { keyFunction, nowFunction } from '../dialect.ts'
import { exactFunction } from '../view-columns.ts'

const minVersion = [3, 51, 3]

/** A longer result is read in a reader process. */
export const maxMainThreadResultBytes = 4 * 1024 * 1024

/** SQLite cuts its write-ahead log to `walBytes` when it begins the log anew; 0: it never cuts it. */
export function openWriteConnection(file: string, walBytes = defaultLimits.walBytes): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: 5000 })
  requireVersion(database)
  database.exec(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF',
  )
  database.exec(`PRAGMA journal_size_limit = ${walBytes || -1}`)
  database.exec('PRAGMA cache_size = -8000') // an import writes to all parts of the indexes

  requirePragma(database, 'journal_mode', 'wal')
  requirePragma(database, 'synchronous', 2)
  requirePragma(database, 'foreign_keys', 1)
  addFunctions(database)
  return database
}

/** How much of the file is mapped into memory; SQLite reads the pages behind it into its own cache, one by one. SQLite allows no more. */
const mappedBytes = 0x7fff_0000

/** SQLite fails a result that is longer than `maxResultBytes` (`isResultTooLarge`). */
export function openReadConnection(file: string, maxResultBytes: number): DatabaseSync {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5000, limits: { length: maxResultBytes } })
  // Pages are shared through the operating system's cache; the connection's own holds the inner nodes of the trees.
  database.exec(`PRAGMA query_only = ON; PRAGMA cache_size = -16000; PRAGMA mmap_size = ${mappedBytes}`)
  addFunctions(database)
  return database
}

/** Whether SQLite failed because a text became too long, or memory was short. */
export function isResultTooLarge(error: unknown): boolean {
  const { errcode } = error as { errcode?: number }
  return errcode === 18 /* SQLITE_TOOBIG */ || errcode === 7 /* SQLITE_NOMEM */
}

/** Of a prepared statement, for each character of its SQL. */
const characterBytes = 60
/** For connections whose statements the caller does not count. */
const ownStatementBytes = 8_388_608

/** Prepared statements by their SQL: each is compiled once for a connection. */
export class SqliteStatements {
  readonly #database: DatabaseSync
  readonly #cache: Cache<string, StatementSync>

  constructor(database: DatabaseSync, budget = new CacheBudget(ownStatementBytes)) {
    this.#database = database
    this.#cache = new Cache({ name: 'sql_statements', budget, bytes: (_, sql) => characterBytes * sql.length })
  }

  /** Rows come as arrays. */
  get(sql: string): StatementSync {
    const known = this.#cache.get(sql)
    if (known !== undefined) return known
    const statement = this.#database.prepare(sql)
    statement.setReturnArrays(true)
    this.#cache.set(sql, statement)
    return statement
  }
}

export function addFunctions(database: DatabaseSync): void {
  database.function('twain_cursor', { deterministic: true }, (name, keys) =>
    keys === null ? null : writeCursor(String(name), String(keys)),
  )
  database.function('twain_decimal', { deterministic: true }, (number) =>
    typeof number === 'string' ? encodeExact(number) : null,
  )
  database.function('twain_fold', { deterministic: true }, (text) => (typeof text === 'string' ? foldText(text) : null))
  database.function(keyFunction, { deterministic: true }, (text) => (typeof text === 'string' ? textKey(text) : null))
  database.function(nowFunction, () => formatDateTime(wallTime()))
  database.function('twain_float', { deterministic: true }, String)
  addAggregateFunctions(database)
  database.function(exactFunction, { deterministic: true, useBigIntArguments: true }, (number) =>
    number === null ? null : exactOf(number as number | bigint | string),
  )
}

/** A number that a view computes, as a column of exact numbers has it. */
function exactOf(number: number | bigint | string): string | null {
  const plain = canonicalDecimal(typeof number === 'number' ? roundedDigits(number) : String(number))
  return plain === null ? null : encodeExact(plain)
}

/** Arithmetic of doubles is right to 15 digits. Numbers of two decimals have more: up to 2^53 hundredths they are exact. Beyond that, their
 *  last digits may come from arithmetic, or be those of a stored amount that the SELECT only passes on: rounding would take them away. */
function roundedDigits(number: number): string {
  const text = numberDigits(number)
  const [, decimals = ''] = text.split('.')
  return decimals.length <= 2 ? text : numberDigits(Number(number.toPrecision(15)))
}

function requireVersion(database: DatabaseSync): void {
  const { version, sum } = database
    .prepare('SELECT sqlite_version() AS version, json_quote(0.1 + 0.2) AS sum')
    .get() as {
    version: string
    sum: string
  }
  const parts = version.split('.').map(Number)
  const difference = parts.map((part, index) => part - minVersion[index]!).find((part) => part !== 0) ?? 0
  if (difference < 0) {
    throw new StartRefused(
      `SQLite ${version} is too old; ${minVersion.join('.')} or newer is needed. Node 24.21 brings it.`,
    )
  }
  if (Number(sum) !== 0.1 + 0.2) {
    throw new StartRefused(
      `SQLite ${version} as built here loses digits of floating-point numbers (0.1 + 0.2 gave ${sum}).`,
    )
  }
}

function requirePragma(database: DatabaseSync, pragma: string, expected: string | number): void {
  const row = database.prepare(`PRAGMA ${pragma}`).get() as Record<string, unknown>
  const actual = Object.values(row)[0]
  if (actual !== expected) {
    throw new StartRefused(
      `The database can't be made durable: PRAGMA ${pragma} is ${actual}, and must be ${expected}.`,
    )
  }
}
