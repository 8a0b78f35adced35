// The steps of a migration: executed, or only recorded for a dry run of `twain migrate`.

import type { DatabaseSync } from 'node:sqlite'

export interface MigrationSteps {
  run(sql: string): void
  /** An action that is not one statement; `description` names it. */
  perform(description: string, action: () => void): void
}

/** Executes each step, after reporting it. */
export function executeSteps(database: DatabaseSync, onStep: (step: string) => void = () => {}): MigrationSteps {
  return {
    run(sql) {
      onStep(sql)
      database.exec(sql)
    },
    perform(description, action) {
      onStep(`-- ${description}`)
      action()
    },
  }
}

/** Executes nothing and collects the steps in `list`. */
export function recordSteps(): MigrationSteps & { list: string[] } {
  const list: string[] = []
  return {
    list,
    run: (sql) => list.push(sql),
    perform: (description) => list.push(`-- ${description}`),
  }
}
