// How long is waited before something is tried again: longer each time, drawn by lot, so that many clients do not come back
// together; and no longer when the browser is online again.

import { sleep } from './http.ts'

const first = 500
const longest = 15_000

const browser = globalThis as Partial<Pick<EventTarget, 'addEventListener'>>
let online = new AbortController()
browser.addEventListener?.('online', () => {
  online.abort()
  online = new AbortController()
})

export async function patience(attempt: number, signal?: AbortSignal): Promise<void> {
  const pause = Math.min(longest, first * 2 ** attempt) * (0.5 + Math.random() / 2)
  await sleep(pause, AbortSignal.any([online.signal, ...(signal ? [signal] : [])])).catch(() => {})
}
