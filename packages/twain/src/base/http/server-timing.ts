// The duration of each stage of a request, for the header `Server-Timing` (W3C Server Timing) and the log. A stage ends where
// it is marked; a stage that repeats, as in a batch, is reported once with its total.

import { monotonicTime } from '../time/index.ts'

export class ServerTiming {
  readonly #began = monotonicTime()
  readonly #names: string[] = []
  readonly #times: number[] = []
  /** When the previous stage ended, in the time of `performance.now`. */
  protected last = this.#began

  /** Adds the time since the previous mark to this stage. */
  mark(stage: string): void {
    const now = monotonicTime()
    const known = this.#names.indexOf(stage)
    if (known >= 0) this.#times[known]! += now - this.last
    else {
      this.#names.push(stage)
      this.#times.push(now - this.last)
    }
    this.last = now
  }

  /** A new one for another request. */
  renewed(): ServerTiming {
    return new ServerTiming()
  }

  /** The header value: milliseconds of each stage, in the order of their first marks. */
  toHeader(): string {
    const total = monotonicTime() - this.#began
    return [
      ...this.#names.map((name, at) => `${name};dur=${this.#times[at]!.toFixed(3)}`),
      `total;dur=${total.toFixed(3)}`,
    ].join(', ')
  }

  /** Milliseconds by name. */
  toJSON(): Record<string, number> {
    return Object.fromEntries(this.#names.map((name, at) => [name, Number(this.#times[at]!.toFixed(3))]))
  }
}
