// Whether a statement is a long read. The estimate proves some statements short, whatever the tables hold. For the others the
// time of their last runs decides, and before the first run they may be long.

import { monotonicTime } from '#base/time'
import { isView } from '#model'
import type { ReadPlan } from '#plan'
import { estimate } from '../../read/estimate.ts'

const maxShortMs = 50
/** How long a statement counts as long after a long run. */
const memoryMs = 60_000

export class ReadTime {
  #longAt: number

  /** Null: the statement is always short. */
  static of(plan: ReadPlan): ReadTime | null {
    return estimate(plan) === null && !isView(plan.of) ? null : new ReadTime()
  }

  private constructor() {
    this.#longAt = monotonicTime()
  }

  get isLong(): boolean {
    return monotonicTime() - this.#longAt < memoryMs
  }

  /** `milliseconds`: from the time that the server got it. */
  ran(milliseconds: number): void {
    this.#longAt = milliseconds > maxShortMs ? monotonicTime() : Number.NEGATIVE_INFINITY
  }
}
