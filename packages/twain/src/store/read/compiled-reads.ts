// A cache of compiled reads, by plan and by what a page returns beside its rows.

import { Cache, cacheGauges, type Gauge } from '#base'
import type { AuthorizedPlan, Plan, ReadPlan } from '#plan'
import type { CompiledRead, PageExtras } from '../sql/read.ts'

/** Characters of the cached statements: SQLite takes 20 to 60 bytes for each. The adapters cache more plans than this cache
 *  has space for. */
const maxSqlCharacters = 1_000_000

type CompileRead<Compiled> = (plan: AuthorizedPlan<ReadPlan>, extras: PageExtras) => Compiled

export class CompiledReads<Compiled extends CompiledRead> {
  readonly #compile: CompileRead<Compiled>
  /** By `variantOf`. */
  readonly #variants = Array.from(
    { length: 4 },
    () => new Cache<Plan, Compiled>(maxSqlCharacters, ({ sql }) => sql.length),
  )

  constructor(compile: CompileRead<Compiled>) {
    this.#compile = compile
  }

  get(plan: AuthorizedPlan<ReadPlan>, extras: PageExtras): Compiled {
    const variant = this.#variants[variantOf(extras)]!
    const known = variant.get(plan)
    if (known !== undefined) return known
    const compiled = this.#compile(plan, extras)
    variant.set(plan, compiled)
    return compiled
  }

  gauges(): Gauge[] {
    return cacheGauges('sql_statements', ...this.#variants)
  }
}

function variantOf({ more, total }: PageExtras): number {
  return (more ? 1 : 0) + (total ? 2 : 0)
}
