// Maps generated ids (UUIDs of version 7) and cursors of one store to those of the other: the n-th to the n-th. Current times, and
// hashes over such texts, are replaced by placeholders.

import type { StoreName } from '../../packages/twain/src/store/test-place.fixture.ts'

export class IdNormalizer {
  readonly #numbers: Record<StoreName, Map<string, number>> = { sqlite: new Map(), postgres: new Map() }

  /** A request to SQLite, with the ids of PostgreSQL. */
  swap(sent: string): string {
    const theirs = [...this.#numbers.postgres.keys()]
    return sent.replace(made, (name) => theirs[this.#numbers.sqlite.get(name) ?? -1] ?? name)
  }

  /** An answer of a store, with placeholders for what the store generated. */
  normalize(text: string, store: StoreName): string {
    const numbers = this.#numbers[store]
    return text
      .replace(made, (name) => {
        if (!numbers.has(name)) numbers.set(name, numbers.size)
        return `name ${numbers.get(name)}`
      })
      .replace(tag, '$1$2$3')
      .replace(now, 'time')
  }
}

const made = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}|\b[\w-]{8,}\.[0-9a-f]{10}\b/g

/** The version stays. */
const tag = /(\\?")(\d+-)?[\w-]{16}(\\?")/g

/** Times in test data are of other years. */
const now = new RegExp(`${new Date().getFullYear()}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z`, 'g')
