// What a migration does to the file, step by step: done, or only written down for who wants to see it first.

import type { DatabaseSync } from 'node:sqlite'

export interface MigrationSteps {
  run(sql: string): void
  /** What is no statement of its own: `told` says it in words. */
  perform(told: string, make: () => void): void
}

/** Does each, after it was told. */
export function executeSteps(database: DatabaseSync, tell: (step: string) => void = () => {}): MigrationSteps {
  return {
    run(sql) {
      tell(sql)
      database.exec(sql)
    },
    perform(told, make) {
      tell(`-- ${told}`)
      make()
    },
  }
}

/** Does nothing: what stands in `list` is what would be done. */
export function recordSteps(): MigrationSteps & { list: string[] } {
  const list: string[] = []
  return {
    list,
    run: (sql) => list.push(sql),
    perform: (told) => list.push(`-- ${told}`),
  }
}
