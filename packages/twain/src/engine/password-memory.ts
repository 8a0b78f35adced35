// The passwords of a transaction that stays open while code runs in it. Hashing is slow on purpose, and other writes wait for the
// transaction. So no password is hashed, and no current one is checked, while it is open.
//
// 1. A run of the transaction assumes hashes and confirmations that it does not know, and is then given up at its end: whatever
//    would be refused, by a rule, a hook or other code, is refused without a hash. The work is made outside and remembered, and
//    the transaction runs again.
// 2. Only the passwords of writes that were made are needed.
// 3. Code may set another password each time, such as a random one. What the last run needs is made inside it.

/** Slow work, and what it is remembered by. */
export interface PasswordNeed {
  key: string
  make: () => Promise<unknown>
}

/** The transaction was given up: see 1. */
class PasswordsNeeded extends Error {
  constructor() {
    super('the transaction needs hashes of passwords')
  }
}

const maxGivenUp = 2

export class PasswordMemory {
  readonly #made = new Map<string, Promise<unknown>>()
  #needed = new Map<string, PasswordNeed>()
  #givenUp = 0

  /** Runs a transaction until it has all that it needs. It must call `finish` before its commit. */
  async run<T>(transaction: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await transaction()
      } catch (error) {
        if (!(error instanceof PasswordsNeeded)) throw error
      }
      this.#givenUp++
      for (const { key, make } of this.#needed.values()) await this.#remember(key, make)
    }
  }

  get #isLast(): boolean {
    return this.#givenUp === maxGivenUp
  }

  /** Called at the begin of each attempt: the store repeats a transaction after a conflict. */
  begin(): void {
    this.#needed.clear()
  }

  /** Gives the transaction up if it has assumed anything. */
  finish(): void {
    if (this.#needed.size > 0) throw new PasswordsNeeded()
  }

  /** The remembered result, or what is assumed. Then `needs` gets the work. */
  get<T>({ key, make }: { key: string; make: () => Promise<T> }, assumed: T, needs: PasswordNeed[]): Promise<T> {
    const known = this.#made.get(key)
    if (known !== undefined) return known as Promise<T>
    if (this.#isLast) return this.#remember(key, make) as Promise<T>
    needs.push({ key, make })
    return Promise.resolve(assumed)
  }

  need(needs: readonly PasswordNeed[]): void {
    for (const need of needs) this.#needed.set(need.key, need)
  }

  /** Runs what is undone if it fails. */
  async savepoint<T>(work: () => Promise<T>): Promise<T> {
    const before = new Map(this.#needed)
    try {
      return await work()
    } catch (error) {
      this.#needed = before
      throw error
    }
  }

  /** Runs what is undone: it needs nothing. */
  async withoutNeeds<T>(work: () => Promise<T>): Promise<T> {
    const before = new Map(this.#needed)
    try {
      return await work()
    } finally {
      this.#needed = before
    }
  }

  #remember(key: string, make: () => Promise<unknown>): Promise<unknown> {
    const made = make()
    this.#made.set(key, made)
    return made
  }
}
