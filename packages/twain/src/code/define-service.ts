// What a service writes in `twain.config.ts`: `export default defineService({ resolvers: { … } })`.

import type { Context } from './context.ts'

/** What code refuses with: `throw new Fault('CONFLICT', 'It is sold out.')`. */
export { Fault } from '#base'
export type { Context } from './context.ts'
export type { RowReader, RowWriter } from './rows.ts'

/** One value for each row, in their order; an Error in the place of one is that row's alone. */
export type ComputedResolver = (
  rows: readonly Readonly<Record<string, unknown>>[],
  args: Readonly<Record<string, unknown>>,
  context: Context,
) => readonly unknown[] | Promise<readonly unknown[]>

export type OperationResolver = (args: Readonly<Record<string, unknown>>, context: Context) => unknown

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
}

/** A filter by one field, as GraphQL has it. */
export interface Filter<T> {
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
interface Settings {
  [setting: string]: unknown
}

/** Gives back what it is given: it is here for the types. `twain types` writes the `Service` of a schema. */
export function defineService<Service extends object = ServiceCode>(service: Service & Settings): Service {
  return service
}
