// Polls until a result is as expected: on PostgreSQL a change can be read a moment after its write is answered, and a busy service is
// slow. After a time limit it returns the last result, so that the assertion of the test reports it.

import { setTimeout as pause } from 'node:timers/promises'

export async function until<T>(ask: () => Promise<T>, holds: (found: T) => boolean): Promise<T> {
  const end = performance.now() + 20_000
  for (;;) {
    const found = await ask()
    if (holds(found) || performance.now() > end) return found
    await pause(10)
  }
}
