// A cache of compiled reads, by plan, by whether the read asks if rows follow behind its page, and by whether the page is deep.

import { Cache, CacheBudget } from '#base'
import type { AuthorizedPlan, Plan, ReadPlan } from '#plan'
import type { CompiledRead } from '../sql/read.ts'

/** For each character of a statement: SQLite takes 20 to 60 for the program, and the entry keeps the plan alive. */
const characterBytes = 60

type CompileRead<Compiled> = (plan: AuthorizedPlan<ReadPlan>, more: boolean, isDeep: boolean) => Compiled

export class CompiledReads<Compiled extends CompiledRead> {
  readonly #compile: CompileRead<Compiled>
  readonly #plain: Cache<Plan, Compiled>
  readonly #more: Cache<Plan, Compiled>
  readonly #deep: Cache<Plan, Compiled>
  readonly #deepMore: Cache<Plan, Compiled>

  constructor(compile: CompileRead<Compiled>, budget = new CacheBudget()) {
    this.#compile = compile
    const options = {
      name: 'sql_statements',
      budget,
      bytes: ({ sql }: Compiled) => characterBytes * sql.length,
    }
    this.#plain = new Cache<Plan, Compiled>(options)
    this.#more = new Cache<Plan, Compiled>(options)
    this.#deep = new Cache<Plan, Compiled>(options)
    this.#deepMore = new Cache<Plan, Compiled>(options)
  }

  get(plan: AuthorizedPlan<ReadPlan>, more: boolean, isDeep = false): Compiled {
    const [plain, withMore] = isDeep ? [this.#deep, this.#deepMore] : [this.#plain, this.#more]
    const cache = more ? withMore : plain
    const known = cache.get(plan)
    if (known !== undefined) return known
    const compiled = this.#compile(plan, more, isDeep)
    cache.set(plan, compiled)
    return compiled
  }
}
