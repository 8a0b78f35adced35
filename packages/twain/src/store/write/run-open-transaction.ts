// Runs custom code in an open transaction.
//
// 1. Its time is bounded, because other writes wait for it. After the timeout the store rolls it back. Its time begins with the
//    first query of its first attempt. The time of the code in it has a bound of its own (`engine/hooks/code-clock.ts`).
// 2. A call after its end fails: custom code may have forgotten to await it.
// 3. It runs one call at a time.

import { ApiError } from '#base'
import { clearTimeout, monotonicTime, setTimeout } from '#base/time'
import { BackendTransaction } from './backend-transaction.ts'
import type { OpenTransaction, TransactionBackend } from './open-transaction.ts'

/** The time of all attempts of one transaction. */
export class TransactionTime {
  readonly milliseconds: number
  #until: number | null = null

  /** 0: it has no end. */
  constructor(milliseconds: number) {
    this.milliseconds = milliseconds
  }

  /** What is left of it. The first call begins it. */
  left(): number {
    const now = monotonicTime()
    this.#until ??= now + this.milliseconds
    return Math.max(0, this.#until - now)
  }
}

/** Ends the transaction after the timeout (1) and refuses later calls (2). */
export async function runOpenTransaction<T>(
  backend: TransactionBackend,
  time: TransactionTime,
  work: (inside: OpenTransaction) => Promise<T>,
): Promise<T> {
  let isOver = false
  let hasBegun = false
  let timer: NodeJS.Timeout | undefined
  const { promise: late, reject } = Promise.withResolvers<never>()
  const open = async () => {
    if (!hasBegun) {
      await backend.begin()
      if (!hasBegun && !isOver && time.milliseconds > 0)
        timer = setTimeout(() => reject(transactionTimeout(time.milliseconds)), time.left())
      hasBegun = true
    }
    if (isOver) throw new Error('the transaction has ended: custom code must await its calls')
  }
  const guarded: TransactionBackend = {
    ...backend,
    async query(...queries) {
      await open()
      return backend.query(...queries)
    },
    async runSoon(...statements) {
      if (isOver) await open()
      return backend.runSoon(...statements)
    },
    async lock(name) {
      if (isOver) await open()
      return backend.lock(name)
    },
    async apply(job) {
      await open()
      return backend.apply(job)
    },
  }
  try {
    return await Promise.race([work(new BackendTransaction(guarded)), late])
  } finally {
    isOver = true
    clearTimeout(timer)
  }
}

function transactionTimeout(milliseconds: number): ApiError {
  return new ApiError(
    'UNAVAILABLE',
    `The write took longer than ${milliseconds / 1000} s and was stopped; nothing was written.`,
    {
      hint: 'It waited for other writes, or for the database. Send it again.',
      headers: { 'retry-after': '5' },
    },
  )
}
