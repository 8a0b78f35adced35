// One connection that reads: a question, its answer, the next question. The driver has opened it (open-line.ts); what is said
// over it from then on is said here, since the driver's objects for a query cost as much again as its bytes
// (docs/internals/decisions/0032-postgres-wire-reads.md).
//
// 1. There is one question at a time: a statement behind a long one would wait for it.
// 2. A statement is prepared when it is asked first, and has its name on this line until the line ends. A line that has many is
//    worn: the server keeps a plan for each.
// 3. A line that was lost, or given up, fails its question, and takes no other. So does one whose server says what does not belong
//    to the question's answer: nothing that comes over it later could be told from another's answer.
// 4. The next question is not asked before all that came with the end of an answer was looked at: it belongs to no question.

import type { Socket } from 'node:net'
import type { SqlValue } from '../../sql/encode.ts'
import {
  bindAndExecute,
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

/** Those who give it its questions. */
export interface WireConnectionOwner {
  /** It has its answer, which is told after this: so the server works on the next one meanwhile. */
  onFree(line: WireConnection): void
  onLost(line: WireConnection): void
}

/** Of different texts. */
const maxStatements = 2000

/** Milliseconds, and up to twice as many, so that lines that were opened together don't end together. Behind one name there
 *  may be other servers by then. */
const minLifetimeMs = 30 * 60_000

/** Milliseconds that the server has to end a line. */
const endTimeoutMs = 1000

interface PreparedStatement {
  name: string
  columns: readonly ParseColumn[]
}

/** Bytes of one message. No answer that we ask for is near it. */
const maxMessageBytes = 256 * 1024 * 1024

/** How far an answer is: nothing was asked; it is prepared and bound; its rows come; it has ended, well or not; and the server is
 *  ready for the next. Or the line is no more. */
type WireStage = 'idle' | 'asked' | 'bound' | 'done' | 'ready' | 'lost'

export class WireConnection {
  readonly #socket: Socket
  readonly #owner: WireConnectionOwner
  readonly #statements = new Map<string, PreparedStatement>()
  /** What no other line calls its statements: a pooler may give two lines the same session. */
  readonly #prefix = `t${Math.random().toString(36).slice(2, 10)}_`
  #statementCount = 0
  #isOld = false
  readonly #age: NodeJS.Timeout
  /** What came of a message that is not whole yet, and how much there must be. */
  #parts: Buffer[]
  #received: number
  #needed = 5

  #stage: WireStage = 'idle'
  #query: WireQuery | null = null
  #statement: PreparedStatement | null = null
  #rows: unknown[][] = []
  #error: DatabaseError | null = null
  /** Whether the question's statement was prepared by an earlier one: else preparing it again would change nothing. */
  #isKnown = false

  /** `rest` came of a message already. */
  constructor(socket: Socket, owner: WireConnectionOwner, rest: Buffer) {
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
    // The server has ended it: what would be written from now on goes nowhere, also before it is closed on both sides.
    socket.on('end', () => this.#lose(connectionClosed('The server ended the connection.')))
    socket.on('close', () => this.#lose(connectionClosed('The connection was closed.')))
  }

  /** Then it is to be ended, and another opened. */
  get isWorn(): boolean {
    return this.#isOld || this.#statementCount >= maxStatements
  }

  send(query: WireQuery): void {
    const known = this.#statements.get(query.sql)
    const statement = known ?? { name: `${this.#prefix}${this.#statementCount++}`, columns: [] }
    let message: Buffer
    try {
      message = bindAndExecute(statement.name, query.parameters)
      if (known === undefined) message = Buffer.concat([prepare(statement.name, query.sql), message])
    } catch (error) {
      // More parameters than a message may have: nothing was said.
      this.#owner.onFree(this)
      query.onError(error)
      return
    }
    this.#stage = 'asked'
    this.#query = query
    this.#isKnown = known !== undefined
    this.#statement = statement
    if (known === undefined) this.#statements.set(query.sql, statement)
    this.#socket.write(message)
  }

  /** To be called when it is free. Resolves when nothing of it is left. */
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

  /** Whatever it is doing. Its question fails. */
  abort(): void {
    this.#lose(connectionClosed('The line was given up.'))
  }

  #receive(bytes: Buffer): void {
    if (this.#stage === 'lost') return // a socket may give what it has when it is destroyed already
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
        this.#expect('asked')
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
        this.#expect('asked')
        this.#statement!.columns = readColumns(bytes, at, end)
        return
      case 0x31: // 1, prepared
      case 0x74: // t, its parameters
      case 0x6e: // n, it has no columns
        this.#expect('asked')
        return
      case 0x45: // E; behind "carried out" too, when what was done could not be kept
        if (this.#stage === 'idle' || this.#stage === 'ready') throw readError(bytes, at, end) // why it goes
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
    const isGone = mustPrepareAgain(error)
    if (isGone || !this.#isKnown) this.#statements.delete(query.sql)
    if (isGone && this.#isKnown) {
      this.send(query)
      return
    }
    this.#owner.onFree(this)
    query.onError(error)
  }

  /** The server may have said why. */
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

/** The server has forgotten a statement (a pooler gave us another session: invalid_sql_statement_name), or its plan no longer fits
 *  the tables: it is to be prepared again. */
function mustPrepareAgain({ code, routine }: DatabaseError): boolean {
  return code === '26000' || routine === 'RevalidateCachedQuery'
}

function connectionClosed(why: string): DatabaseError {
  return new DatabaseError(why, 'CONNECTION_CLOSED')
}
