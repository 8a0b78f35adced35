// A cache of compiled reads, by plan and by whether the read asks if rows follow behind its page.

import { Cache, CacheBudget } from '#base'
import type { AuthorizedPlan, Plan, ReadPlan } from '#plan'
import type { CompiledRead } from '../sql/read.ts'

/** For each character of a statement: SQLite takes 20 to 60 for the program, and the entry keeps the plan alive. */
const characterBytes = 60

type CompileRead<Compiled> = (plan: AuthorizedPlan<ReadPlan>, more: boolean) => Compiled

export class CompiledReads<Compiled extends CompiledRead> {
  readonly #compile: CompileRead<Compiled>
  readonly #plain: Cache<Plan, Compiled>
  readonly #more: Cache<Plan, Compiled>

  constructor(compile: CompileRead<Compiled>, budget = new CacheBudget()) {
    this.#compile = compile
    const options = {
      name: 'sql_statements',
      budget,
      bytes: ({ sql }: Compiled) => characterBytes * sql.length,
    }
    this.#plain = new Cache<Plan, Compiled>(options)
    this.#more = new Cache<Plan, Compiled>(options)
  }

  get(plan: AuthorizedPlan<ReadPlan>, more: boolean): Compiled {
    const cache = more ? this.#more : this.#plain
    const known = cache.get(plan)
    if (known !== undefined) return known
    const compiled = this.#compile(plan, more)
    cache.set(plan, compiled)
    return compiled
  }
}
