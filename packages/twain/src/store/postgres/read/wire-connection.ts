// One connection for reads: a query, its result, the next query. The driver has opened it (`open-wire-connection.ts`). From
// then on this file speaks the protocol, since the driver's query objects cost as much as its bytes
// (docs/internals/decisions/0032-own-reading-line.md).
//
// 1. It runs one query at a time: a statement behind a long one would wait for it.
// 2. A statement is prepared at its first use and keeps its name. The server keeps a plan for each, so the least recently used
//    ones are closed when they take too much of its memory. A large statement gets a name at its second use.
// 3. A connection that was lost or aborted fails its query and takes no other. So does one whose server sends a message that
//    does not belong to the result: later messages could not be assigned to a query.
// 4. The next query is not sent before all bytes that came with the end of a result are read.

import type { Socket } from 'node:net'
import { Cache, CacheBudget } from '#base'
import type { SqlValue } from '../../sql/encode.ts'
import { defaultStatementBytes, statementCharacterBytes } from '../connect/connect.ts'
import {
  bindAndExecute,
  closeStatement,
  DatabaseError,
  type ParseColumn,
  prepare,
  protocolError,
  readColumns,
  readError,
  readRow,
  terminate,
} from './wire-messages.ts'

export interface WireQuery {
  readonly sql: string
  readonly parameters: readonly SqlValue[]
  onRows(rows: unknown[][]): void
  onError(error: unknown): void
}

/** The owner of the connection, which sends it queries. */
export interface WireConnectionOwner {
  /** Called before the result is delivered, so that the server works on the next query meanwhile. */
  onFree(connection: WireConnection): void
  onLost(connection: WireConnection): void
}

/** The lifetime varies up to twice this value, so that connections do not end together. The same name may lead to other
 *  servers by then. */
const minLifetimeMs = 30 * 60_000

/** How long the server may take to close the connection. */
const endTimeoutMs = 1000

interface PreparedStatement {
  name: string
  columns: readonly ParseColumn[]
}

/** No result is near this size. */
const maxMessageBytes = 256 * 1024 * 1024

/** The stage of a query: none was sent; sent; bound, and its rows arrive; ended; and the server is ready for the next. Or
 *  the connection is lost. */
type WireStage = 'idle' | 'sent' | 'bound' | 'done' | 'ready' | 'lost'

export class WireConnection {
  readonly #socket: Socket
  readonly #owner: WireConnectionOwner
  readonly #statements: Cache<string, PreparedStatement>
  /** Names of statements to close with the next query. The server may not have them. */
  #dropped: string[] = []
  /** A prefix of statement names that no other connection uses: a pooler may give two connections the same session. */
  readonly #prefix = `t${Math.random().toString(36).slice(2, 10)}_`
  #statementCount = 0
  #isOld = false
  readonly #age: NodeJS.Timeout
  /** The received parts of an incomplete message, and how many bytes it needs. */
  #parts: Buffer[]
  #received: number
  #needed = 5

  #stage: WireStage = 'idle'
  #query: WireQuery | null = null
  #statement: PreparedStatement | null = null
  #rows: unknown[][] = []
  #error: DatabaseError | null = null
  /** Whether an earlier query prepared the statement: otherwise preparing it again would change nothing. */
  #isKnown = false

  /** `rest` is the beginning of a message that was already received. */
  constructor(socket: Socket, owner: WireConnectionOwner, rest: Buffer, statementBytes = defaultStatementBytes) {
    this.#statements = new Cache({
      name: 'prepared_statements',
      budget: new CacheBudget(statementBytes),
      bytes: (_, sql) => statementCharacterBytes * sql.length,
      onDrop: ({ name }) => this.#dropped.push(name),
    })
    this.#socket = socket
    this.#owner = owner
    this.#parts = [rest]
    this.#received = rest.length
    this.#age = setTimeout(
      () => {
        this.#isOld = true
      },
      minLifetimeMs * (1 + Math.random()),
    ).unref()
    socket.on('data', (bytes) => this.#receive(bytes))
    socket.on('error', ({ message }) => this.#lose(connectionClosed(message)))
    // The server has ended the connection: further writes go nowhere, even before both sides are closed.
    socket.on('end', () => this.#lose(connectionClosed('The server ended the connection.')))
    socket.on('close', () => this.#lose(connectionClosed('The connection was closed.')))
  }

  /** Whether the connection should be replaced. */
  get isWorn(): boolean {
    return this.#isOld
  }

  get statements(): Pick<Cache<string, PreparedStatement>, 'size' | 'bytes' | 'hits' | 'misses'> {
    return this.#statements
  }

  send(query: WireQuery): void {
    const known = this.#statements.get(query.sql)
    const statement = known ?? this.#name(query.sql)
    let message: Buffer
    try {
      message = bindAndExecute(statement.name, query.parameters)
      if (known === undefined) message = Buffer.concat([prepare(statement.name, query.sql), message])
    } catch (error) {
      if (known === undefined) this.#statements.delete(query.sql)
      // More parameters than a message may have: nothing was sent.
      this.#owner.onFree(this)
      query.onError(error)
      return
    }
    this.#stage = 'sent'
    this.#query = query
    this.#isKnown = known !== undefined
    this.#statement = statement
    if (this.#dropped.length > 0) {
      message = Buffer.concat([...this.#dropped.map(closeStatement), message])
      this.#dropped = []
    }
    this.#socket.write(message)
  }

  /** A statement that is not cached has no name: the next one of its kind replaces it. */
  #name(sql: string): PreparedStatement {
    const statement = { name: `${this.#prefix}${this.#statementCount}`, columns: [] }
    if (this.#statements.set(sql, statement)) this.#statementCount++
    else statement.name = ''
    return statement
  }

  /** Called when the connection is free. Resolves when it is closed. */
  end(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#socket.destroyed) return resolve()
      const over = setTimeout(() => this.#socket.destroy(), endTimeoutMs)
      this.#socket.on('close', () => {
        clearTimeout(over)
        resolve()
      })
      this.#socket.end(terminate)
    })
  }

  /** Aborts the connection; its query fails. */
  abort(): void {
    this.#lose(connectionClosed('The connection was aborted.'))
  }

  #receive(bytes: Buffer): void {
    if (this.#stage === 'lost') return // a destroyed socket may still deliver data
    try {
      this.#readMessages(bytes)
    } catch (error) {
      this.#lose(error instanceof DatabaseError ? error : protocolError())
      return
    }
    if (this.#stage === 'ready') this.#finish() // see 4
  }

  #readMessages(bytes: Buffer): void {
    let all = bytes
    if (this.#received > 0) {
      this.#parts.push(bytes)
      this.#received += bytes.length
      if (this.#received < this.#needed) return
      all = Buffer.concat(this.#parts, this.#received)
      this.#parts = []
      this.#received = 0
    }
    let at = 0
    let needed = 5
    while (all.length - at >= 5) {
      const length = all.readUInt32BE(at + 1)
      if (length < 4 || length > maxMessageBytes) throw protocolError()
      needed = 1 + length
      if (all.length - at < needed) break
      this.#handleMessage(all[at]!, all, at + 5, at + needed)
      at += needed
      needed = 5
    }
    if (at === all.length) return
    this.#parts.push(all.subarray(at))
    this.#received = all.length - at
    this.#needed = needed
  }

  #handleMessage(kind: number, bytes: Buffer, at: number, end: number): void {
    switch (kind) {
      case 0x44: // D, a row
        this.#expect('bound')
        this.#rows.push(readRow(bytes, at, end, this.#statement!.columns))
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
        this.#expect('sent')
        this.#statement!.columns = readColumns(bytes, at, end)
        return
      case 0x31: // 1, prepared
      case 0x33: // 3, a statement was closed
      case 0x74: // t, its parameters
      case 0x6e: // n, it has no columns
        this.#expect('sent')
        return
      case 0x45: // E, an error; also after the completion, if the commit failed
        if (this.#stage === 'idle' || this.#stage === 'ready') throw readError(bytes, at, end) // the reason why the server disconnects
        this.#error = readError(bytes, at, end)
        this.#stage = 'done'
        return
      case 0x4e: // N, a notice
      case 0x53: // S, a setting of the server
      case 0x41: // A, a notification
        return
      default:
        throw protocolError()
    }
  }

  #expect(stage: WireStage): void {
    if (this.#stage !== stage) throw protocolError()
  }

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
    const isOutdated = mustPrepareAgain(error)
    if (isOutdated || !this.#isKnown) this.#statements.delete(query.sql)
    if (isOutdated && this.#isKnown) {
      this.send(query)
      return
    }
    this.#owner.onFree(this)
    query.onError(error)
  }

  /** The server may have sent the reason. */
  #lose(why: DatabaseError): void {
    if (this.#stage === 'lost') return
    this.#stage = 'lost'
    clearTimeout(this.#age)
    this.#socket.destroy()
    const query = this.#query
    this.#query = null
    this.#owner.onLost(this)
    query?.onError(this.#error ?? why)
  }
}

/** Whether the statement must be prepared again: a pooler switched the session (invalid_sql_statement_name), or the plan
 *  no longer fits the tables. */
function mustPrepareAgain({ code, routine }: DatabaseError): boolean {
  return code === '26000' || routine === 'RevalidateCachedQuery'
}

function connectionClosed(why: string): DatabaseError {
  return new DatabaseError(why, 'CONNECTION_CLOSED')
}
