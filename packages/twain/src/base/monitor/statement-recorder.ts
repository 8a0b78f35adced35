// The statements of single requests, for administrators who ask for them (`Prefer: statements`). They have no values: the text of a
// statement has placeholders.
//
// 1. While no recorded request runs, a statement costs the reading of one number.
// 2. The recorder keeps the last requests of this node, bounded in number and in text.

import { AsyncLocalStorage } from 'node:async_hooks'

export interface RecordedStatement {
  /** What it reads or writes: `Post list: title order id`, `create Post`. */
  shape: string
  sql: string
  ms: number
  /** Whether the result came from the result cache; then no statement ran. */
  cached: boolean
}

const maxRecordings = 50
const maxStatements = 100
const maxSqlLength = 20_000

export class StatementRecording {
  readonly id: number
  /** The id of the request. */
  readonly request: string
  readonly statements: RecordedStatement[] = []

  constructor(id: number, request: string) {
    this.id = id
    this.request = request
  }

  /** More than a hundred are left out. */
  add(shape: string, sql: string, milliseconds: number, cached = false): void {
    if (this.statements.length >= maxStatements) return
    const ms = Math.round(milliseconds * 1000) / 1000
    this.statements.push({ shape, sql: sql.slice(0, maxSqlLength), ms, cached })
  }
}

export class StatementRecorder {
  readonly #storage = new AsyncLocalStorage<StatementRecording>()
  readonly #byRequest = new Map<string, StatementRecording>()
  #running = 0
  #lastId = 0

  /** That of the running request; null: it is not recorded. */
  get current(): StatementRecording | null {
    return this.#running === 0 ? null : (this.#storage.getStore() ?? null)
  }

  /** Records what `work` runs, under the id of its request. */
  async record<T>(requestId: string, work: () => T | Promise<T>): Promise<T> {
    this.#lastId += 1
    const recording = new StatementRecording(this.#lastId, requestId)
    this.#byRequest.delete(requestId)
    this.#byRequest.set(requestId, recording)
    if (this.#byRequest.size > maxRecordings) this.#byRequest.delete(this.#byRequest.keys().next().value!)
    this.#running += 1
    try {
      return await this.#storage.run(recording, work)
    } finally {
      this.#running -= 1
    }
  }

  /** Null: the request was not recorded, or is too long ago. */
  find(requestId: string): StatementRecording | null {
    return this.#byRequest.get(requestId) ?? null
  }

  /** That of the last recorded request; null: there was none. */
  get last(): StatementRecording | null {
    return [...this.#byRequest.values()].at(-1) ?? null
  }

  /** By the number of a recording that is kept. */
  byId(id: number): StatementRecording | undefined {
    return this.#byRequest.values().find((one) => one.id === id)
  }
}
