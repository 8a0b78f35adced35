// Waits before a retry: longer each time and random, so that many clients do not return together. The wait ends early when
// the browser is online again.

import { sleep } from './wait.ts'

const firstPauseMs = 500
const maxPauseMs = 15_000

const browser = globalThis as Partial<Pick<EventTarget, 'addEventListener'>>
let online = new AbortController()
browser.addEventListener?.('online', () => {
  online.abort()
  online = new AbortController()
})

export async function backoff(attempt: number, signal?: AbortSignal): Promise<void> {
  const pause = Math.min(maxPauseMs, firstPauseMs * 2 ** attempt) * (0.5 + Math.random() / 2)
  await sleep(pause, AbortSignal.any([online.signal, ...(signal ? [signal] : [])])).catch(() => {})
}
