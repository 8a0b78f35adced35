// Asks again and again until the answer is as it should be: on PostgreSQL a change can be read a moment after it is answered,
// and a busy service takes its time. What never comes is given as it is, for the test to say what is wrong.

import { setTimeout as pause } from 'node:timers/promises'

export async function until<T>(ask: () => Promise<T>, holds: (found: T) => boolean): Promise<T> {
  const end = performance.now() + 20_000
  for (;;) {
    const found = await ask()
    if (holds(found) || performance.now() > end) return found
    await pause(10)
  }
}
