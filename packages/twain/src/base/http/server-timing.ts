// What the stages of a request took, for the header `Server-Timing` (W3C Server Timing) and for the log. Each stage ends where
// it is marked; one that comes again, as in a batch, is told once, with all that it took.

export class ServerTiming {
  readonly #began = performance.now()
  readonly #names: string[] = []
  readonly #times: number[] = []
  #last = this.#began

  /** What was done since the mark before it was this. */
  mark(stage: string): void {
    const now = performance.now()
    const known = this.#names.indexOf(stage)
    if (known >= 0) this.#times[known]! += now - this.#last
    else {
      this.#names.push(stage)
      this.#times.push(now - this.#last)
    }
    this.#last = now
  }

  /** The value of the header, milliseconds each, in the order in which they were first marked. */
  toHeader(): string {
    const total = performance.now() - this.#began
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
