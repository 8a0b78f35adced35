// One connection for its whole lifetime: for a session lock, one long transaction, or statements that are no requests. After it
// is lost every call rejects.

import { clearTimeout, monotonicTime, randomFraction, setTimeout } from '#base/time'
import { connectionClosed } from './database-error.ts'
import { type CheckedClient, type ClientTarget, type DatabaseClient, openClient } from './open-client.ts'
import {
  copyIn,
  PreparedStatements,
  query,
  type ResultRow,
  runPrepared,
  type Statement,
  script,
  values,
} from './queries.ts'

/** A session is replaced after this time, and up to twice as much, so that sessions do not end together. The same name may lead
 *  to other servers by then. */
export const minLifetimeMs = 30 * 60_000

/** How long the server may take to close the connection. */
const endTimeoutMs = 1000

export class Session {
  readonly #client: DatabaseClient
  readonly #oldAt = monotonicTime() + minLifetimeMs * (1 + randomFraction())
  readonly #prepared = new PreparedStatements()
  #isLost = false
  #cursors = 0
  /** Resolves when the connection is closed. */
  readonly ended: Promise<void>

  /** Rejects with the error of the server or the driver. */
  static async open(target: ClientTarget, onLost: () => void = () => {}): Promise<Session> {
    return new Session(await openClient(target), onLost)
  }

  private constructor(client: DatabaseClient, onLost: () => void) {
    this.#client = client
    const lose = () => {
      if (this.#isLost) return
      this.#isLost = true
      client.abort()
      onLost()
    }
    client.on('error', lose)
    client.on('end', lose)
    this.ended = new Promise((resolve) => client.on('end', resolve))
  }

  get isLost(): boolean {
    return this.#isLost
  }

  get isOld(): boolean {
    return monotonicTime() > this.#oldAt
  }

  /** Runs one statement, or several without parameters. Returns the rows of the last. */
  async query<R = ResultRow>(sql: string, parameters: readonly unknown[] = []): Promise<R[]> {
    return query<R>(this.#open(), sql, parameters)
  }

  /** The same, with rows as arrays. */
  async values<R = unknown[]>(sql: string, parameters: readonly unknown[] = []): Promise<R[]> {
    return values<R>(this.#open(), sql, parameters)
  }

  /** Runs several statements in one message, as one transaction. Returns the rows of each. */
  async script<R = ResultRow>(sql: string): Promise<R[][]> {
    return script<R>(this.#open(), sql)
  }

  /** Runs several statements in one round trip, as one transaction. The server plans each once. Returns the rows of each. */
  async runPrepared<R = ResultRow>(statements: readonly Statement[]): Promise<R[][]> {
    return runPrepared<R>(this.#open(), statements, this.#prepared)
  }

  /** COPY … FROM STDIN. */
  async copyIn(sql: string, chunks: AsyncIterable<Buffer | string>): Promise<void> {
    await copyIn(this.#open(), sql, chunks)
  }

  /** Reads the rows of a statement in batches, inside a transaction. */
  async *batches(sql: string, size: number): AsyncGenerator<unknown[][]> {
    const name = `batches_${this.#cursors++}`
    await this.query(`DECLARE ${name} NO SCROLL CURSOR FOR ${sql}`)
    for (;;) {
      const rows = await this.values(`FETCH ${size} FROM ${name}`)
      if (rows.length > 0) yield rows
      if (rows.length < size) break
    }
    await this.query(`CLOSE ${name}`)
  }

  /** Calls `wake` for each notification of the channel. */
  async listen(channel: string, wake: () => void): Promise<void> {
    this.#client.on('notification', wake)
    await this.query(`LISTEN "${channel.replaceAll('"', '""')}"`)
  }

  /** Rolls back what is not committed and releases the locks. A running statement fails. */
  close(): Promise<void> {
    this.#isLost = true
    return endClient(this.#client)
  }

  #open(): DatabaseClient {
    if (this.#isLost) throw connectionClosed('The connection was lost.')
    return this.#client
  }
}

/** Resolves when the connection is closed. */
export async function endClient(client: CheckedClient): Promise<void> {
  const late = setTimeout(() => client.connection.stream.destroy(), endTimeoutMs)
  try {
    await client.end()
  } finally {
    clearTimeout(late)
  }
}
