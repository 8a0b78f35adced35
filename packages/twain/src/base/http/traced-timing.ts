// Stages of a request as spans: a stage ends where it is marked. Stages of the store have spans of their own.

import type { Tracing } from '../tracing/tracing.ts'
import { ServerTiming } from './server-timing.ts'

const tracedStages: ReadonlySet<string> = new Set(['parse', 'validate', 'plan'])

export class TracedTiming extends ServerTiming {
  readonly #tracing: Tracing

  constructor(tracing: Tracing) {
    super()
    this.#tracing = tracing
  }

  override renewed(): TracedTiming {
    return new TracedTiming(this.#tracing)
  }

  override mark(stage: string): void {
    const startTime = performance.timeOrigin + this.last
    super.mark(stage)
    if (tracedStages.has(stage)) this.#tracing.start(stage, { startTime }).end()
  }
}
