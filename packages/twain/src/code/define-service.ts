// What a service writes in `twain.config.ts`: `export default defineService({ resolvers: { … } })`.

import type { Context } from './context.ts'

/** What code refuses with: `throw new Fault('CONFLICT', 'It is sold out.')`. */
export { ApiError } from '#base'
export type { Context } from './context.ts'
export type { RowReader, RowWriter } from './rows.ts'

/** One value for each row, in their order; an Error in the place of one is that row's alone. */
export type ComputedResolver = (
  rows: readonly Readonly<Record<string, unknown>>[],
  args: Readonly<Record<string, unknown>>,
  context: Context,
) => readonly unknown[] | Promise<readonly unknown[]>

export type OperationResolver = (args: Readonly<Record<string, unknown>>, context: Context) => unknown

/** What is about to be done to a row. */
export interface PendingWrite<Row = Readonly<Record<string, unknown>>> {
  kind: 'create' | 'update' | 'delete'
  /** Null for a row that is made along with another. */
  id: string | null
  /** As it is; null for a new one. */
  row: Row | null
  /** As it would be; null for one that goes. */
  next: Row | null
}

/** What was done to a row, in the same transaction. */
export interface AppliedWrite<Row = Readonly<Record<string, unknown>>> {
  kind: 'created' | 'updated' | 'deleted'
  id: string
  /** As it is now; null for one that is gone. */
  row: Row | null
}

/** What was committed. */
export interface CommittedChange<Row = Readonly<Record<string, unknown>>> extends AppliedWrite<Row> {
  version: number
  /** When it was written: RFC 3339. */
  time: string
  /** Where it stands in the change log: the same when it is told again. */
  cursor: string
}

/** What it throws undoes the write, and is told to who asked for it. */
export type Hook<Told> = (told: Told, context: Context) => unknown

/** The code of a service, beside whose members its settings may stand. */
export interface ServiceCode {
  /** By type and field: what answers the fields with `@computed`, and own fields of `Query` and `Mutation`. */
  resolvers?: {
    readonly Query?: Readonly<Record<string, OperationResolver>>
    readonly Mutation?: Readonly<Record<string, OperationResolver>>
    readonly [type: string]:
      | Readonly<Record<string, ComputedResolver>>
      | Readonly<Record<string, OperationResolver>>
      | undefined
  }
  /** By type: asked before a row of it is written, in the write's transaction. */
  before?: Readonly<Record<string, Hook<PendingWrite>>>
  /** By type: told when a row of it was written, in the write's transaction. */
  after?: Readonly<Record<string, Hook<AppliedWrite>>>
  /** By type: told of what was committed, in its order. */
  on?: Readonly<Record<string, Hook<CommittedChange>>>
}

/** A filter by one field, as GraphQL has it. */
export interface FieldFilter<T> {
  eq?: T | null
  ne?: T | null
  in?: readonly T[]
  notIn?: readonly T[]
  lt?: T
  lte?: T
  gt?: T
  gte?: T
  contains?: T
  startsWith?: T
  endsWith?: T
  isNull?: boolean
}

/** What may stand beside the code: settings, by their names. */
interface ConfigSettings {
  [setting: string]: unknown
}

/** Gives back what it is given: it is here for the types. `twain types` writes the `Service` of a schema. */
export function defineService<Service extends object = ServiceCode>(service: Service & ConfigSettings): Service {
  return service
}
