// The types and the function for `migrations/NNN-name.ts`: `export default defineMigration({ … })`. The package `twain` exports
// them (docs/reference/custom-code.md).

import type { Context } from '../context.ts'
import type { CodeRow } from '../rows.ts'

interface MigrationOptions {
  /** Whether webhooks and `on` handlers get the changes; default: true. The change log always has them. */
  events?: boolean
  /** Whether the `before` and `after` hooks of the changed rows run; default: false. */
  hooks?: boolean
}

/** Changes the rows of one type, in portions. */
export interface RowMigration<Type = string, Row = CodeRow, Where = object, Update = object, AnyContext = Context>
  extends MigrationOptions {
  type: Type
  /** Which rows; default: all. */
  where?: Where
  /** How many rows are changed in one transaction at most; default: 500. */
  portion?: number
  /** Returns what to change in the row; nothing: the row stays as it is. It may be called again for a row, if the portion could
   *  not be committed. */
  change(row: Row, context: AnyContext): Update | null | undefined | Promise<Update | null | undefined>
}

/** Does everything in one transaction. */
export interface WholeMigration<AnyContext = Context> extends MigrationOptions {
  run(context: AnyContext): unknown
  /** How long it may take; default: 30s. */
  timeLimit?: string
}

export type AnyMigration = RowMigration | WholeMigration

/** Returns its argument; it exists for type checking. `twain types` generates the `Migration` type of a schema. */
export function defineMigration<Migration extends object = AnyMigration>(migration: Migration): Migration {
  return migration
}
