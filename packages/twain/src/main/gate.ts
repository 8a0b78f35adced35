// The one place where requests can be made to wait: while the contract is swapped, nobody is inside and nobody is lost.

export class Gate {
  #inside = 0
  /** Resolves when the gate opens again; null while it is open. */
  #shut: Promise<void> | null = null
  #emptied: (() => void) | null = null

  get open(): boolean {
    return this.#shut === null
  }

  /** When it may be open again: somebody else may have shut it by the time that one gets there. */
  opened(): Promise<void> {
    return this.#shut ?? Promise.resolve()
  }

  /** Only while it is open; whoever enters leaves. */
  enter(): void {
    this.#inside++
  }

  leave(): void {
    if (--this.#inside === 0) this.#emptied?.()
  }

  /** Lets nobody in, waits for those inside, does the work alone, and opens again whatever came of it. */
  async alone<Result>(work: () => Promise<Result>): Promise<Result> {
    while (this.#shut !== null) await this.#shut
    const { promise, resolve: reopen } = Promise.withResolvers<void>()
    this.#shut = promise
    try {
      await this.#empty()
      return await work()
    } finally {
      this.#shut = null
      reopen()
    }
  }

  async #empty(): Promise<void> {
    if (this.#inside === 0) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#emptied = resolve
    await promise
    this.#emptied = null
  }
}
