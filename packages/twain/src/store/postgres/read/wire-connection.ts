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
  ask,
  DatabaseError,
  notUnderstood,
  type Parse,
  prepare,
  readColumns,
  readError,
  readRow,
  terminate,
} from './wire-messages.ts'

export interface Question {
  readonly sql: string
  readonly parameters: readonly SqlValue[]
  answered(rows: unknown[][]): void
  failed(error: unknown): void
}

/** Those who give it its questions. */
export interface Owner {
  /** It has its answer, which is told after this: so the server works on the next one meanwhile. */
  free(line: Line): void
  lost(line: Line): void
}

/** Of different texts. */
const mostStatements = 2000

/** Milliseconds, and up to twice as many, so that lines that were opened together don't end together. Behind one name there
 *  may be other servers by then. */
const lifetime = 30 * 60_000

/** Milliseconds that the server has to end a line. */
const longestEnd = 1000

interface Statement {
  name: string
  columns: readonly Parse[]
}

/** Bytes of one message. No answer that we ask for is near it. */
const longestMessage = 256 * 1024 * 1024

/** How far an answer is: nothing was asked; it is prepared and bound; its rows come; it has ended, well or not; and the server is
 *  ready for the next. Or the line is no more. */
type Stage = 'idle' | 'asked' | 'bound' | 'done' | 'ready' | 'lost'

export class Line {
  readonly #socket: Socket
  readonly #owner: Owner
  readonly #statements = new Map<string, Statement>()
  /** What no other line calls its statements: a pooler may give two lines the same session. */
  readonly #prefix = `t${Math.random().toString(36).slice(2, 10)}_`
  #named = 0
  #isOld = false
  readonly #age: NodeJS.Timeout
  /** What came of a message that is not whole yet, and how much there must be. */
  #parts: Buffer[]
  #there: number
  #needed = 5

  #stage: Stage = 'idle'
  #question: Question | null = null
  #statement: Statement | null = null
  #rows: unknown[][] = []
  #error: DatabaseError | null = null
  /** Whether the question's statement was prepared by an earlier one: else preparing it again would change nothing. */
  #isKnown = false

  /** `rest` came of a message already. */
  constructor(socket: Socket, owner: Owner, rest: Buffer) {
    this.#socket = socket
    this.#owner = owner
    this.#parts = [rest]
    this.#there = rest.length
    this.#age = setTimeout(
      () => {
        this.#isOld = true
      },
      lifetime * (1 + Math.random()),
    ).unref()
    socket.on('data', (bytes) => this.#take(bytes))
    socket.on('error', ({ message }) => this.#lose(closed(message)))
    // The server has ended it: what would be written from now on goes nowhere, also before it is closed on both sides.
    socket.on('end', () => this.#lose(closed('The server ended the connection.')))
    socket.on('close', () => this.#lose(closed('The connection was closed.')))
  }

  /** Then it is to be ended, and another opened. */
  get isWorn(): boolean {
    return this.#isOld || this.#named >= mostStatements
  }

  ask(boundPlan: Question): void {
    const known = this.#statements.get(boundPlan.sql)
    const statement = known ?? { name: `${this.#prefix}${this.#named++}`, columns: [] }
    let message: Buffer
    try {
      message = ask(statement.name, boundPlan.parameters)
      if (known === undefined) message = Buffer.concat([prepare(statement.name, boundPlan.sql), message])
    } catch (error) {
      // More parameters than a message may have: nothing was said.
      this.#owner.free(this)
      boundPlan.failed(error)
      return
    }
    this.#stage = 'asked'
    this.#question = boundPlan
    this.#isKnown = known !== undefined
    this.#statement = statement
    if (known === undefined) this.#statements.set(boundPlan.sql, statement)
    this.#socket.write(message)
  }

  /** To be called when it is free. Resolves when nothing of it is left. */
  end(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#socket.destroyed) return resolve()
      const over = setTimeout(() => this.#socket.destroy(), longestEnd)
      this.#socket.on('close', () => {
        clearTimeout(over)
        resolve()
      })
      this.#socket.end(terminate)
    })
  }

  /** Whatever it is doing. Its question fails. */
  cut(): void {
    this.#lose(closed('The line was given up.'))
  }

  #take(bytes: Buffer): void {
    if (this.#stage === 'lost') return // a socket may give what it has when it is destroyed already
    try {
      this.#read(bytes)
    } catch (error) {
      this.#lose(error instanceof DatabaseError ? error : notUnderstood())
      return
    }
    if (this.#stage === 'ready') this.#finish() // see 4
  }

  #read(bytes: Buffer): void {
    let all = bytes
    if (this.#there > 0) {
      this.#parts.push(bytes)
      this.#there += bytes.length
      if (this.#there < this.#needed) return
      all = Buffer.concat(this.#parts, this.#there)
      this.#parts = []
      this.#there = 0
    }
    let at = 0
    let needed = 5
    while (all.length - at >= 5) {
      const length = all.readUInt32BE(at + 1)
      if (length < 4 || length > longestMessage) throw notUnderstood()
      needed = 1 + length
      if (all.length - at < needed) break
      this.#hear(all[at]!, all, at + 5, at + needed)
      at += needed
      needed = 5
    }
    if (at === all.length) return
    this.#parts.push(all.subarray(at))
    this.#there = all.length - at
    this.#needed = needed
  }

  #hear(kind: number, bytes: Buffer, at: number, end: number): void {
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
        if (bytes[at] !== 0x49) throw notUnderstood()
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
        throw notUnderstood()
    }
  }

  #expect(stage: Stage): void {
    if (this.#stage !== stage) throw notUnderstood()
  }

  #finish(): void {
    const boundPlan = this.#question!
    const rows = this.#rows
    const error = this.#error
    this.#stage = 'idle'
    this.#question = null
    this.#rows = []
    this.#error = null
    if (error === null) {
      this.#owner.free(this)
      boundPlan.answered(rows)
      return
    }
    const isGone = isForgotten(error)
    if (isGone || !this.#isKnown) this.#statements.delete(boundPlan.sql)
    if (isGone && this.#isKnown) {
      this.ask(boundPlan)
      return
    }
    this.#owner.free(this)
    boundPlan.failed(error)
  }

  /** The server may have said why. */
  #lose(why: DatabaseError): void {
    if (this.#stage === 'lost') return
    this.#stage = 'lost'
    clearTimeout(this.#age)
    this.#socket.destroy()
    const boundPlan = this.#question
    this.#question = null
    this.#owner.lost(this)
    boundPlan?.failed(this.#error ?? why)
  }
}

/** The server has forgotten a statement (a pooler gave us another session: invalid_sql_statement_name), or its plan no longer fits
 *  the tables: it is to be prepared again. */
function isForgotten({ code, routine }: DatabaseError): boolean {
  return code === '26000' || routine === 'RevalidateCachedQuery'
}

function closed(why: string): DatabaseError {
  return new DatabaseError(why, 'CONNECTION_CLOSED')
}
