// What a service writes in `twain.config.ts`: `export default defineService({ resolvers: { … } })`.

import type { Context } from './context.ts'

/** What code refuses with: `throw new Fault('CONFLICT', 'It is sold out.')`. */
export { Fault } from '#base'

/** One value for each row, in their order; an Error in the place of one is that row's alone. */
export type ComputedResolver = (
  rows: readonly Readonly<Record<string, unknown>>[],
  args: Readonly<Record<string, unknown>>,
  context: Context,
) => readonly unknown[] | Promise<readonly unknown[]>

/** The code of a service, beside whose members its settings may stand. */
export interface ServiceCode {
  /** By type and field: what answers the fields with `@computed`. */
  resolvers?: Readonly<Record<string, Readonly<Record<string, ComputedResolver>>>>
}

/** Gives back what it is given: it is here for the types. */
export function defineService<Service extends object = ServiceCode & Record<string, unknown>>(
  service: Service,
): Service {
  return service
}
