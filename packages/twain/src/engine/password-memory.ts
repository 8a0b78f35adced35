// The passwords of a transaction that stays open while code runs in it. Hashing is slow on purpose, and other writes wait for the
// transaction. So no password is hashed, and no current one is checked, while it is open.
//
// 1. A run of the transaction assumes hashes and confirmations that it does not know, and is then given up at its end: whatever
//    would be refused, by a rule, a hook or other code, is refused without a hash. The work is made outside and remembered, and
//    the transaction runs again.
// 2. Only the passwords of writes that were made are needed.
// 3. Code may set another password each time, such as a random one. What the last run needs is made inside it.
// 4. What is undone counts for nothing: each run begins with the passwords that the request had set before.

import type { RequestCaller } from '#base/http'

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

interface RunState {
  needed: ReadonlyMap<string, PasswordNeed>
  uses: ReadonlyMap<string, number>
  /** How many passwords the request has set. */
  set: number
}

export class PasswordMemory {
  readonly #made = new Map<string, Promise<unknown>>()
  readonly #caller: RequestCaller | undefined
  readonly #start: RunState
  #needed = new Map<string, PasswordNeed>()
  /** How often the run has set each password. */
  #uses = new Map<string, number>()
  #givenUp = 0

  constructor(caller?: RequestCaller) {
    this.#caller = caller
    this.#start = this.#state()
  }

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
    this.#restore(this.#start)
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

  /** The key of a hash. Accounts with the same password have different hashes. */
  hashKey(password: string): string {
    const use = (this.#uses.get(password) ?? 0) + 1
    this.#uses.set(password, use)
    return `hash ${use} ${password}`
  }

  need(needs: readonly PasswordNeed[]): void {
    for (const need of needs) this.#needed.set(need.key, need)
  }

  /** Runs what is undone if it fails. */
  async savepoint<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#state()
    try {
      return await work()
    } catch (error) {
      this.#restore(before)
      throw error
    }
  }

  /** Runs what is undone: it needs nothing. */
  async withoutNeeds<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#state()
    try {
      return await work()
    } finally {
      this.#restore(before)
    }
  }

  #state(): RunState {
    return { needed: new Map(this.#needed), uses: new Map(this.#uses), set: this.#caller?.passwords ?? 0 }
  }

  #restore({ needed, uses, set }: RunState): void {
    this.#needed = new Map(needed)
    this.#uses = new Map(uses)
    if (this.#caller !== undefined) this.#caller.passwords = set
  }

  #remember(key: string, make: () => Promise<unknown>): Promise<unknown> {
    const made = make()
    this.#made.set(key, made)
    return made
  }
}
