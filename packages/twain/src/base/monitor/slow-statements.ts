// The slowest statements since the start, each once: how often it was slow, and how long it took. Bounded in number and in text.

import { wallTime } from '../time/index.ts'

export interface SlowStatement {
  /** What is read or written: `Post list: title where title contains order id`. */
  shape: string
  sql: string
  /** What would help; null: nothing is known. */
  hint: string | null
  /** How often it was slow. */
  count: number
  maxMs: number
  lastMs: number
  lastAt: string
}

const maxStatements = 100
const maxSqlLength = 20_000

export class SlowStatements {
  readonly #now: () => number
  readonly #bySql = new Map<string, SlowStatement>()

  constructor(now: () => number = wallTime) {
    this.#now = now
  }

  record({ shape, sql, hint }: Pick<SlowStatement, 'shape' | 'sql' | 'hint'>, milliseconds: number): void {
    if (sql.length > maxSqlLength) return
    const known = this.#bySql.get(sql)
    const lastAt = new Date(this.#now()).toISOString()
    const ms = Math.round(milliseconds * 100) / 100
    if (known !== undefined) {
      Object.assign(known, { count: known.count + 1, maxMs: Math.max(known.maxMs, ms), lastMs: ms, lastAt })
      return
    }
    if (this.#bySql.size >= maxStatements) {
      const fastest = [...this.#bySql.values()].reduce((a, b) => (b.maxMs < a.maxMs ? b : a))
      if (fastest.maxMs >= ms) return
      this.#bySql.delete(fastest.sql)
    }
    this.#bySql.set(sql, { shape, sql, hint, count: 1, maxMs: ms, lastMs: ms, lastAt })
  }

  /** The slowest first. */
  slowest(count: number): SlowStatement[] {
    return [...this.#bySql.values()].sort((a, b) => b.maxMs - a.maxMs).slice(0, count)
  }
}
