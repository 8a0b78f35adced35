// Reads the rights of accounts afresh, for requests that would be refused by rights of up to a second ago.
//
// 1. A read that has begun may miss what was granted since. So a request waits for one that begins after its refusal.
// 2. Reads of an account begin 100 ms apart, and all requests that wait for one share it: refusals cost the database little.

import { Cache, CacheBudget } from '#base'
import { monotonicTime, sleep } from '#base/time'
import type { AccountRights } from '#store'

const paceMs = 100

interface PacedReads {
  /** When the last read began, by the monotonic clock. */
  began: number
  /** The read that has not begun. */
  next: Promise<AccountRights | null> | null
}

export class FreshRights {
  readonly #read: (account: string) => Promise<AccountRights | null>
  readonly #paced: Cache<string, PacedReads>

  constructor(read: (account: string) => Promise<AccountRights | null>, budget = new CacheBudget()) {
    this.#read = read
    this.#paced = new Cache({ name: 'viewers', budget, bytes: () => 100 })
  }

  /** Null: the account is locked, or there is none. */
  of(account: string): Promise<AccountRights | null> {
    const paced = this.#paced.get(account) ?? { began: Number.NEGATIVE_INFINITY, next: null }
    if (paced.next !== null) return paced.next
    this.#paced.set(account, paced)
    const waitMs = paced.began + paceMs - monotonicTime()
    if (waitMs <= 0) return this.#begin(account, paced)
    paced.next = sleep(waitMs).then(() => this.#begin(account, paced))
    return paced.next
  }

  #begin(account: string, paced: PacedReads): Promise<AccountRights | null> {
    paced.began = monotonicTime()
    paced.next = null
    return this.#read(account)
  }
}

/** Whether an account may do something now that it could not do before. */
export function haveGrown(now: AccountRights, before: { roles: readonly string[]; verified?: boolean }): boolean {
  return (now.verified && before.verified !== true) || now.roles.some((role) => !before.roles.includes(role))
}
