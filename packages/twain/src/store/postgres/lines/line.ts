// One connection that reads: a question, its answer, the next question. The driver has opened it (open-line.ts); what is said
// over it from then on is said here, since the driver's objects for a query cost as much again as its bytes
// (docs/decisions/0032-own-reading-line.md).
//
// 1. There is one question at a time: a statement behind a long one would wait for it.
// 2. A statement is prepared when it is asked first, and has its name on this line until the line ends. A line that has many is
//    worn: the server keeps a plan for each.
// 3. A line that was lost, or given up, fails its question, and takes no other.

import type { Socket } from 'node:net'
import type { SqlValue } from '../../compile/encode.ts'
import { ask, DatabaseError, type Parse, prepare, readColumns, readError, readRow, terminate } from './messages.ts'

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

/** The server has forgotten a statement (a pooler gave us another session), or its plan no longer fits the tables: it is to be
 *  prepared again. */
const forgotten = new Set(['FetchPreparedStatement', 'RevalidateCachedQuery'])

export class Line {
  readonly #socket: Socket
  readonly #owner: Owner
  readonly #statements = new Map<string, Statement>()
  #named = 0
  #isOld = false
  readonly #age: NodeJS.Timeout
  /** What came of a message that is not whole yet, and how much there must be. */
  #parts: Buffer[] = []
  #there = 0
  #needed = 5

  #question: Question | null = null
  #statement: Statement | null = null
  #rows: unknown[][] = []
  #error: DatabaseError | null = null
  /** Whether the question's statement was prepared by an earlier one: else preparing it again would change nothing. */
  #isKnown = false

  constructor(socket: Socket, owner: Owner) {
    this.#socket = socket
    this.#owner = owner
    this.#age = setTimeout(
      () => {
        this.#isOld = true
      },
      lifetime * (1 + Math.random()),
    ).unref()
    socket.on('data', (bytes) => this.#take(bytes))
    socket.on('error', ({ message }) => this.#lose(message))
    // The server has ended it: what would be written from now on goes nowhere, also before it is closed on both sides.
    socket.on('end', () => this.#lose('The server ended the connection.'))
    socket.on('close', () => this.#lose('The connection was closed.'))
  }

  /** Then it is to be ended, and another opened. */
  get isWorn(): boolean {
    return this.#isOld || this.#named >= mostStatements
  }

  ask(question: Question): void {
    const known = this.#statements.get(question.sql)
    const statement = known ?? { name: `t${this.#named++}`, columns: [] }
    let message: Buffer
    try {
      message = ask(statement.name, question.parameters)
      if (known === undefined) message = Buffer.concat([prepare(statement.name, question.sql), message])
    } catch (error) {
      // More parameters than a message may have: nothing was said.
      this.#owner.free(this)
      question.failed(error)
      return
    }
    this.#question = question
    this.#isKnown = known !== undefined
    this.#statement = statement
    if (known === undefined) this.#statements.set(question.sql, statement)
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
    this.#socket.destroy()
  }

  #take(bytes: Buffer): void {
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
      needed = 1 + all.readUInt32BE(at + 1)
      if (all.length - at < needed) break
      this.#hear(all[at]!, all, at + 5)
      at += needed
      needed = 5
    }
    if (at === all.length) return
    this.#parts.push(all.subarray(at))
    this.#there = all.length - at
    this.#needed = needed
  }

  #hear(kind: number, bytes: Buffer, at: number): void {
    switch (kind) {
      case 0x44: // D, a row
        this.#rows.push(readRow(bytes, at, this.#statement!.columns))
        return
      case 0x5a: // Z, ready for the next
        this.#finish()
        return
      case 0x54: // T, the columns of a statement that is new here
        this.#statement!.columns = readColumns(bytes, at)
        return
      case 0x45: // E
        this.#error = readError(bytes, at)
        return
      default: // that it was prepared, bound, carried out; a notice; a setting of the server
    }
  }

  #finish(): void {
    const question = this.#question
    const rows = this.#rows
    const error = this.#error
    if (question === null) return
    this.#question = null
    this.#rows = []
    this.#error = null
    if (error === null) {
      this.#owner.free(this)
      question.answered(rows)
      return
    }
    const isForgotten = forgotten.has(error.routine ?? '')
    if (isForgotten || !this.#isKnown) this.#statements.delete(question.sql)
    if (isForgotten && this.#isKnown) {
      this.ask(question)
      return
    }
    this.#owner.free(this)
    question.failed(error)
  }

  /** The server may have said why. */
  #lose(why: string): void {
    clearTimeout(this.#age)
    const question = this.#question
    this.#question = null
    this.#owner.lost(this)
    question?.failed(this.#error ?? new DatabaseError(why, 'CONNECTION_CLOSED'))
  }
}
