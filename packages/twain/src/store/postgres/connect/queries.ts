// Queries of the driver for everything but the reads and writes of requests: one statement, several in one message, prepared ones, or
// COPY.

import type { Socket } from 'node:net'
import { randomFraction } from '#base/time'
import { columnTypes, expectParameters, type ParseText, parseRow, parsersOf, toParameter } from './column-types.ts'
import { toDatabaseError } from './database-error.ts'
import type { Client, Connection, Field, Submittable } from './driver.ts'

export type ResultRow = Record<string, unknown>

/** Runs one statement, or several without parameters. Returns the rows of the last. */
export async function query<R = ResultRow>(
  client: Client,
  sql: string,
  parameters: readonly unknown[] = [],
): Promise<R[]> {
  return toObjects((await run(client, statementsOf(sql, parameters))).at(-1)!) as R[]
}

/** The same, with rows as arrays. */
export async function values<R = unknown[]>(
  client: Client,
  sql: string,
  parameters: readonly unknown[] = [],
): Promise<R[]> {
  return (await run(client, statementsOf(sql, parameters))).at(-1)!.rows as R[]
}

function statementsOf(sql: string, parameters: readonly unknown[]): Statements {
  return parameters.length === 0 ? new Script(sql) : new OneStatement(sql, parameters)
}

/** Runs several statements, which the server takes as one transaction. Returns the rows of each. */
export async function script<R = ResultRow>(client: Client, sql: string): Promise<R[][]> {
  return (await run(client, new Script(sql))).map((result) => toObjects(result) as R[])
}

/** Runs several statements in one round trip, which the server takes as one transaction. It parses and plans each once. Returns the rows of
 *  each. */
export async function runPrepared<R = ResultRow>(
  client: Client,
  statements: readonly Statement[],
  prepared: PreparedStatements,
): Promise<R[][]> {
  return (await run(client, new PreparedScript(statements, prepared))).map((result) => toObjects(result) as R[])
}

export interface Statement {
  sql: string
  parameters: readonly string[]
}

/** The statements that the server keeps for one connection. */
export class PreparedStatements {
  /** No other connection uses it: a pooler may give two connections the same session. */
  readonly #prefix = `p${randomFraction().toString(36).slice(2, 10)}_`
  readonly #names = new Map<string, { name: string; isPrepared: boolean }>()

  /** Sends what the server lacks. Returns the name of the statement. */
  prepare(sql: string, connection: Connection): string {
    let known = this.#names.get(sql)
    if (known === undefined) {
      known = { name: `${this.#prefix}${this.#names.size}`, isPrepared: false }
      this.#names.set(sql, known)
    }
    if (!known.isPrepared) {
      connection.close({ type: 'S', name: known.name }) // one of a failed attempt; no error if there is none
      connection.parse({ name: known.name, text: sql })
      known.isPrepared = true
    }
    return known.name
  }

  /** After an error: the server may lack statements, or have outdated ones. */
  forget(): void {
    for (const known of this.#names.values()) known.isPrepared = false
  }
}

/** Runs COPY … FROM STDIN. An error of `chunks` ends it. */
export async function copyIn(client: Client, sql: string, chunks: AsyncIterable<Buffer | string>): Promise<void> {
  await run(client, new CopyIn(sql, chunks))
}

interface Result {
  fields: readonly Field[]
  rows: unknown[][]
}

function toObjects({ fields, rows }: Result): ResultRow[] {
  const names = fields.map(({ name }) => name)
  return rows.map((row) => Object.fromEntries(names.map((name, column) => [name, row[column]])))
}

function run(client: Client, statements: Statements): Promise<Result[]> {
  return new Promise((resolve, reject) => {
    statements.resolve = resolve
    statements.reject = reject
    client.query(statements)
  })
}

abstract class Statements implements Submittable {
  resolve: (results: Result[]) => void = () => {}
  reject: (error: unknown) => void = () => {}
  protected readonly sql: string
  readonly #results: Result[] = []
  #result: Result = { fields: [], rows: [] }
  #parsers: ParseText[] = []

  constructor(sql: string) {
    this.sql = sql
  }

  abstract submit(connection: Connection): Error | null

  handleRowDescription({ fields }: { fields: Field[] }): void {
    this.#result = { fields, rows: [] }
    this.#parsers = parsersOf(fields, columnTypes)
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    this.#result.rows.push(parseRow(fields, this.#parsers))
  }

  handleCommandComplete(): void {
    this.#results.push(this.#result)
    this.#result = { fields: [], rows: [] }
  }

  handleEmptyQuery(): void {
    this.handleCommandComplete()
  }

  handlePortalSuspended(): void {}

  handleCopyInResponse(connection: Connection): void {
    connection.sendCopyFail('There is nothing to copy.')
  }

  handleCopyData(): void {}

  handleError(error: Error): void {
    this.reject(toDatabaseError(error))
  }

  handleReadyForQuery(): void {
    this.resolve(this.#results)
  }
}

class OneStatement extends Statements {
  readonly #parameters: readonly unknown[]

  constructor(sql: string, parameters: readonly unknown[]) {
    super(sql)
    this.#parameters = parameters
  }

  submit(connection: Connection): Error | null {
    try {
      expectParameters(this.#parameters)
    } catch (error) {
      return error as Error
    }
    connection.stream.cork()
    connection.parse({ name: '', text: this.sql })
    connection.bind({ statement: '', values: this.#parameters, valueMapper: toParameter })
    connection.describe({ type: 'P', name: '' })
    connection.execute()
    connection.sync()
    connection.stream.uncork()
    return null
  }
}

class Script extends Statements {
  submit(connection: Connection): null {
    connection.query(this.sql)
    return null
  }
}

class PreparedScript extends Statements {
  readonly #statements: readonly Statement[]
  readonly #prepared: PreparedStatements

  constructor(statements: readonly Statement[], prepared: PreparedStatements) {
    super('')
    this.#statements = statements
    this.#prepared = prepared
  }

  submit(connection: Connection): null {
    connection.stream.cork()
    for (const { sql, parameters } of this.#statements) {
      const statement = this.#prepared.prepare(sql, connection)
      connection.bind({ statement, values: parameters, valueMapper: toParameter })
      connection.describe({ type: 'P', name: '' })
      connection.execute()
    }
    connection.sync()
    connection.stream.uncork()
    return null
  }

  override handleError(error: Error): void {
    this.#prepared.forget()
    super.handleError(error)
  }
}

class CopyIn extends Script {
  readonly #chunks: AsyncIterable<Buffer | string>
  /** The error of the source. */
  #failure: { error: unknown } | null = null
  #isOver = false

  constructor(sql: string, chunks: AsyncIterable<Buffer | string>) {
    super(sql)
    this.#chunks = chunks
  }

  override handleCopyInResponse(connection: Connection): void {
    this.#send(connection).catch((error) => {
      this.#failure = { error }
      connection.sendCopyFail('The source failed.')
    })
  }

  override handleError(error: Error): void {
    this.#isOver = true
    if (this.#failure === null) super.handleError(error)
    else this.reject(this.#failure.error)
  }

  async #send(connection: Connection): Promise<void> {
    const { stream } = connection
    for await (const chunk of this.#chunks) {
      if (this.#isOver || stream.destroyed) return
      connection.sendCopyFromChunk(Buffer.from(chunk as string))
      if (stream.writableNeedDrain) await drained(stream)
    }
    if (!this.#isOver) connection.endCopyFrom()
  }
}

function drained(stream: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      stream.off('drain', done)
      stream.off('close', done)
      resolve()
    }
    stream.once('drain', done)
    stream.once('close', done)
  })
}
