// What a server makes itself, ids (UUIDs of version 7) and cursors, in the words of both stores: the n-th of one is the n-th
// of the other. Of times of now, and of hashes over such texts, it only counts that they are there.

import type { StoreName } from '../../packages/twain/src/store/test-place.fixture.ts'

export class IdNormalizer {
  readonly #numbers: Record<StoreName, Map<string, number>> = { sqlite: new Map(), postgres: new Map() }

  /** What was sent to SQLite, in the names of PostgreSQL. */
  swap(sent: string): string {
    const theirs = [...this.#numbers.postgres.keys()]
    return sent.replace(made, (name) => theirs[this.#numbers.sqlite.get(name) ?? -1] ?? name)
  }

  /** What a store told, without what is its own. */
  tell(reported: string, store: StoreName): string {
    const numbers = this.#numbers[store]
    return reported
      .replace(made, (name) => {
        if (!numbers.has(name)) numbers.set(name, numbers.size)
        return `name ${numbers.get(name)}`
      })
      .replace(tag, '$1$2$3')
      .replace(now, 'time')
  }
}

const made = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}|\b[\w-]{8,}\.[0-9a-f]{10}\b/g

/** Its version is left. */
const tag = /(\\?")(\d+-)?[\w-]{16}(\\?")/g

/** What a test gives is of other years. */
const now = new RegExp(`${new Date().getFullYear()}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?Z`, 'g')
