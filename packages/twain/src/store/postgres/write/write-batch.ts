// Queries of one round trip, as one query object of the driver. The server runs them one after another. If one fails, it skips
// those behind it.

import type { Query, QueryRows } from '../../sql/query.ts'
import type { CheckedConnection } from '../connect/checked-connection.ts'
import {
  expectParameters,
  type ParseText,
  parseRow,
  parsersOf,
  toParameter,
  writeColumnTypes,
} from '../connect/column-types.ts'
import { protocolError } from '../connect/database-error.ts'
import type { Field, Submittable } from '../connect/driver.ts'

/** A statement on one connection. */
export interface WriteStatement {
  /** Empty: it is not kept. */
  name: string
  isPrepared: boolean
  columns: readonly ParseText[]
}

export interface WriteBatchOwner {
  /** A query has ended. */
  onProgress(): void
  /** The query with this index failed. The server may go on, or be lost. */
  onFailure(error: Error, index: number): void
  /** The server is ready for the next batch. `isOpen`: a transaction is open. */
  onReady(isOpen: boolean): void
}

export class WriteBatch implements Submittable {
  readonly #queries: readonly Query[]
  readonly #statementOf: (sql: string) => WriteStatement
  readonly #received: QueryRows[]
  readonly #owner: WriteBatchOwner
  readonly #statements: WriteStatement[] = []
  /** The index of the first query of each new statement. */
  readonly #prepared = new Map<string, number>()
  #rows: unknown[][] = []
  /** How many queries have ended, and so the index of the one that runs. */
  #ended = 0

  /** Fills `received` with the rows of each query as they arrive. */
  constructor(
    queries: readonly Query[],
    received: QueryRows[],
    statementOf: (sql: string) => WriteStatement,
    owner: WriteBatchOwner,
  ) {
    for (const { parameters } of queries) expectParameters(parameters)
    this.#queries = queries
    this.#received = received
    this.#statementOf = statementOf
    this.#owner = owner
  }

  submit(connection: CheckedConnection): null {
    connection.once('readyForQuery', ({ status }: { status: string }) => this.#owner.onReady(status !== 'I'))
    connection.cork()
    for (const [index, { sql, parameters }] of this.#queries.entries()) {
      const statement = this.#statementOf(sql)
      this.#statements.push(statement)
      // The results before the last query must arrive even if the connection is lost during it: it may be COMMIT.
      if (index > 0 && index === this.#queries.length - 1) connection.flush()
      if (!statement.isPrepared) {
        connection.parse({ name: statement.name, text: sql })
        connection.describe({ type: 'S', name: statement.name })
        statement.isPrepared = statement.name !== ''
        this.#prepared.set(sql, index)
      }
      connection.bind({ statement: statement.name, values: parameters, valueMapper: toParameter })
      connection.execute()
    }
    connection.sync()
    connection.uncork()
    return null
  }

  /** The new statements whose queries did not end. */
  unfinished(): string[] {
    return [...this.#prepared].filter(([, index]) => index >= this.#ended).map(([sql]) => sql)
  }

  handleRowDescription({ fields }: { fields: Field[] }): void {
    this.#running().columns = parsersOf(fields, writeColumnTypes)
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    this.#rows.push(parseRow(fields, this.#running().columns))
  }

  handleCommandComplete(): void {
    this.#running()
    this.#received[this.#ended++] = this.#rows as QueryRows
    this.#rows = []
    this.#owner.onProgress()
  }

  handleEmptyQuery(): void {
    this.handleCommandComplete()
  }

  handleError(error: Error): void {
    this.#owner.onFailure(error, this.#ended)
  }

  /** The driver calls it if nothing failed. */
  handleReadyForQuery(): void {
    if (this.#ended < this.#queries.length) throw protocolError()
  }

  handlePortalSuspended(): void {}
  handleCopyInResponse(): void {}
  handleCopyData(): void {}

  #running(): WriteStatement {
    const statement = this.#statements[this.#ended]
    if (statement === undefined) throw protocolError()
    return statement
  }
}
