// What a migration does to the file, step by step: done, or only written down for who wants to see it first.

import type { DatabaseSync } from 'node:sqlite'

export interface Steps {
  run(sql: string): void
  /** What is no statement of its own: `told` says it in words. */
  work(told: string, make: () => void): void
}

/** Does each, after it was told. */
export function doing(database: DatabaseSync, tell: (step: string) => void = () => {}): Steps {
  return {
    run(sql) {
      tell(sql)
      database.exec(sql)
    },
    work(told, make) {
      tell(`-- ${told}`)
      make()
    },
  }
}

/** Does nothing: what stands in `list` is what would be done. */
export function writingDown(): Steps & { list: string[] } {
  const list: string[] = []
  return {
    list,
    run: (sql) => list.push(sql),
    work: (told) => list.push(`-- ${told}`),
  }
}
