// A cache of compiled reads, by plan and by what a page returns beside its rows.

import { Cache, CacheBudget } from '#base'
import type { AuthorizedPlan, Plan, ReadPlan } from '#plan'
import type { CompiledRead, PageExtras } from '../sql/read.ts'

/** For each character of a statement: SQLite takes 20 to 60 for the program, and the entry keeps the plan alive. */
const characterBytes = 60

type CompileRead<Compiled> = (plan: AuthorizedPlan<ReadPlan>, extras: PageExtras) => Compiled

export class CompiledReads<Compiled extends CompiledRead> {
  readonly #compile: CompileRead<Compiled>
  /** By `variantOf`. */
  readonly #variants: Cache<Plan, Compiled>[]

  constructor(compile: CompileRead<Compiled>, budget = new CacheBudget()) {
    this.#compile = compile
    this.#variants = Array.from(
      { length: 4 },
      () =>
        new Cache<Plan, Compiled>({ name: 'sql_statements', budget, bytes: ({ sql }) => characterBytes * sql.length }),
    )
  }

  get(plan: AuthorizedPlan<ReadPlan>, extras: PageExtras): Compiled {
    const variant = this.#variants[variantOf(extras)]!
    const known = variant.get(plan)
    if (known !== undefined) return known
    const compiled = this.#compile(plan, extras)
    variant.set(plan, compiled)
    return compiled
  }
}

function variantOf({ more, total }: PageExtras): number {
  return (more ? 1 : 0) + (total ? 2 : 0)
}
