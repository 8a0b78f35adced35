// Holds requests back while the service replaces its schema. Requests that run finish first; new ones wait.

export class Gate {
  #inside = 0
  /** Resolves when the gate opens again; null while it is open. */
  #shut: Promise<void> | null = null
  #emptied: (() => void) | null = null

  get open(): boolean {
    return this.#shut === null
  }

  /** Resolves when the gate opens. Check `open` again after it: another caller may have closed the gate since. */
  opened(): Promise<void> {
    return this.#shut ?? Promise.resolve()
  }

  /** Call only while the gate is open, and call `leave` afterwards. */
  enter(): void {
    this.#inside++
  }

  leave(): void {
    if (--this.#inside === 0) this.#emptied?.()
  }

  /** Closes the gate, waits for running requests, does the work, and opens the gate again even if the work fails. After
   *  `patience`, if it is given, the work does not wait for requests any longer. */
  async alone<Result>(work: () => Promise<Result>, patience?: Promise<void>): Promise<Result> {
    while (this.#shut !== null) await this.#shut
    const { promise, resolve: reopen } = Promise.withResolvers<void>()
    this.#shut = promise
    try {
      await (patience === undefined ? this.#empty() : Promise.race([this.#empty(), patience]))
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
