// One connection for reads: a query, its result, the next query. It is a query object of the driver for all of its queries, since
// the driver's own objects cost more than its bytes (docs/internals/decisions/0051-one-postgres-driver.md).
//
// 1. It runs one query at a time: a statement behind a long one would wait for it.
// 2. A statement is prepared at its first use and keeps its name. The server keeps a plan for each, so the least recently used
//    ones are closed when they take too much of its memory. A large statement gets a name at its second use.
// 3. A connection that was lost or aborted fails its query and takes no other. So does one whose server sends a message that
//    does not belong to the result: later messages could not be assigned to a query.
// 4. The next query is not sent before all bytes that came with the end of a result are read.

import { Cache, CacheBudget } from '#base'
import { clearTimeout, randomFraction, setTimeout } from '#base/time'
import type { SqlValue } from '../../sql/encode.ts'
import type { CheckedConnection } from '../connect/checked-connection.ts'
import {
  columnTypes,
  expectParameters,
  type ParseText,
  parseRow,
  parsersOf,
  toParameter,
} from '../connect/column-types.ts'
import { defaultStatementBytes, statementCharacterBytes } from '../connect/connect.ts'
import { connectionClosed, isOutdatedStatement, protocolError, toDatabaseError } from '../connect/database-error.ts'
import type { Field, Submittable } from '../connect/driver.ts'
import type { CheckedClient } from '../connect/open-client.ts'
import { endClient, minLifetimeMs } from '../connect/session.ts'

export interface ReadQuery {
  readonly sql: string
  readonly parameters: readonly SqlValue[]
  onRows(rows: unknown[][]): void
  onError(error: unknown): void
}

/** The owner of the connection, which sends it queries. */
export interface ReadConnectionOwner {
  /** Called before the result is delivered, so that the server works on the next query meanwhile. */
  onFree(connection: ReadConnection): void
  onLost(connection: ReadConnection): void
}

interface PreparedStatement {
  name: string
  columns: readonly ParseText[]
}

/** The stage of a query: none was sent; sent; bound, and its rows arrive; ended; and the server is ready for the next. Or
 *  the connection is lost. */
type ReadStage = 'idle' | 'sent' | 'bound' | 'done' | 'ready' | 'lost'

export class ReadConnection implements Submittable {
  readonly #client: CheckedClient
  readonly #owner: ReadConnectionOwner
  readonly #statements: Cache<string, PreparedStatement>
  /** Names of statements to close with the next query. The server may not have them. */
  #dropped: string[] = []
  /** A prefix of statement names that no other connection uses: a pooler may give two connections the same session. */
  readonly #prefix = `t${randomFraction().toString(36).slice(2, 10)}_`
  #statementCount = 0
  /** Of all statements that were prepared, and how many the connection may prepare. */
  #preparedCharacters = 0
  readonly #maxPreparedCharacters: number
  #isOld = false
  readonly #age: NodeJS.Timeout

  #stage: ReadStage = 'idle'
  #query: ReadQuery | null = null
  #statement: PreparedStatement | null = null
  #rows: unknown[][] = []
  #error: Error | null = null
  /** Whether an earlier query prepared the statement: otherwise preparing it again would change nothing. */
  #isKnown = false

  /** `client` is connected. */
  constructor(client: CheckedClient, owner: ReadConnectionOwner, statementBytes = defaultStatementBytes) {
    this.#statements = new Cache({
      name: 'prepared_statements',
      budget: new CacheBudget(statementBytes),
      bytes: (_, sql) => statementCharacterBytes * sql.length,
      onDrop: ({ name }) => this.#dropped.push(name),
    })
    this.#maxPreparedCharacters = statementBytes
    this.#client = client
    this.#owner = owner
    this.#age = setTimeout(
      () => {
        this.#isOld = true
      },
      minLifetimeMs * (1 + randomFraction()),
    ).unref()
    const { connection } = client
    connection.onMessage = (kind, bytes, at) => this.#check(kind, bytes, at)
    connection.onHandled = () => {
      if (this.#stage === 'ready') this.#finish() // see 4
    }
    client.on('error', (error) => this.#lose(toDatabaseError(error)))
    client.on('end', () => this.#lose(connectionClosed('The connection was closed.')))
    // The server has ended the connection: further writes go nowhere, even before both sides are closed.
    connection.stream.on('end', () => this.#lose(connectionClosed('The server ended the connection.')))
  }

  /** Whether the connection should be replaced. The server never forgets the columns of a row that a statement made: half a byte
   *  for each character of a statement, until the connection ends. */
  get isWorn(): boolean {
    return this.#isOld || this.#preparedCharacters > this.#maxPreparedCharacters
  }

  get statements(): Pick<Cache<string, PreparedStatement>, 'size' | 'bytes' | 'hits' | 'misses'> {
    return this.#statements
  }

  send(query: ReadQuery): void {
    try {
      expectParameters(query.parameters)
    } catch (error) {
      this.#owner.onFree(this)
      query.onError(error)
      return
    }
    const known = this.#statements.get(query.sql)
    this.#statement = known ?? this.#name(query.sql)
    this.#isKnown = known !== undefined
    this.#query = query
    this.#stage = 'sent'
    this.#client.query(this)
  }

  /** A statement that is not cached has no name: the next one of its kind replaces it. */
  #name(sql: string): PreparedStatement {
    this.#preparedCharacters += sql.length
    const statement = { name: `${this.#prefix}${this.#statementCount}`, columns: [] }
    if (this.#statements.set(sql, statement)) this.#statementCount++
    else statement.name = ''
    return statement
  }

  /** Called by the driver. */
  submit(connection: CheckedConnection): null {
    const { name } = this.#statement!
    const { sql, parameters } = this.#query!
    connection.cork()
    for (const dropped of this.#dropped) connection.close({ type: 'S', name: dropped })
    if (this.#dropped.length > 0) this.#dropped = []
    if (!this.#isKnown) {
      connection.parse({ name, text: sql })
      connection.describe({ type: 'S', name })
    }
    connection.bind({ statement: name, values: parameters, valueMapper: toParameter })
    connection.execute()
    connection.sync()
    connection.uncork()
    return null
  }

  /** Called when the connection is free. Resolves when it is closed. */
  end(): Promise<void> {
    return endClient(this.#client)
  }

  /** Aborts the connection; its query fails. */
  abort(): void {
    this.#lose(connectionClosed('The connection was aborted.'))
  }

  /** Each message in its turn, before the driver gets it: the driver would take some at any time, or ignore them. */
  #check(kind: number, bytes: Buffer, at: number): void {
    switch (kind) {
      case 0x44: // D, a row
        this.#expect('bound')
        return
      case 0x32: // 2, bound
        this.#expect('sent')
        this.#stage = 'bound'
        return
      case 0x43: // C, carried out
      case 0x49: // I, there was nothing to carry out
        this.#expect('bound')
        this.#stage = 'done'
        return
      case 0x5a: // Z, ready for the next; in a transaction it would not be
        this.#expect('done')
        if (bytes[at] !== 0x49) throw protocolError()
        this.#stage = 'ready'
        return
      case 0x54: // T, the columns of a statement that is new here
      case 0x31: // 1, prepared
      case 0x33: // 3, a statement was closed
      case 0x74: // t, its parameters
      case 0x6e: // n, it has no columns
        this.#expect('sent')
        return
      case 0x45: // E, an error; also after the completion, if the commit failed. Without a query: why the server disconnects
        if (this.#stage !== 'idle' && this.#stage !== 'ready') this.#stage = 'done'
        return
      case 0x4e: // N, a notice
      case 0x53: // S, a setting of the server
      case 0x41: // A, a notification
        return
      default:
        throw protocolError()
    }
  }

  #expect(stage: ReadStage): void {
    if (this.#stage !== stage) throw protocolError()
  }

  handleRowDescription({ fields }: { fields: Field[] }): void {
    this.#statement!.columns = parsersOf(fields, columnTypes)
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    this.#rows.push(parseRow(fields, this.#statement!.columns))
  }

  handleError(error: Error): void {
    this.#error = error
  }

  handleCommandComplete(): void {}
  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}
  handleCopyInResponse(): void {}
  handleCopyData(): void {}
  handleReadyForQuery(): void {}

  #finish(): void {
    const query = this.#query!
    const rows = this.#rows
    const error = this.#error
    this.#stage = 'idle'
    this.#query = null
    this.#rows = []
    this.#error = null
    if (error === null) {
      this.#owner.onFree(this)
      query.onRows(rows)
      return
    }
    const isOutdated = isOutdatedStatement(error)
    if (isOutdated || !this.#isKnown) this.#statements.delete(query.sql)
    if (isOutdated && this.#isKnown) {
      this.send(query)
      return
    }
    this.#owner.onFree(this)
    query.onError(error)
  }

  /** The server may have sent the reason. */
  #lose(why: Error): void {
    if (this.#stage === 'lost') return
    this.#stage = 'lost'
    clearTimeout(this.#age)
    this.#client.connection.stream.destroy()
    const query = this.#query
    this.#query = null
    this.#owner.onLost(this)
    query?.onError(this.#error ?? why)
  }
}
