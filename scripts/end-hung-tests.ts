// `--test-timeout` ends a test that hangs, but not a process that stays because a socket or a timer of it is still open. This does:
// soon after all tests have ended, or else at the limit of the process. It prints what is open and which file left it open.

import { after } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'

export interface HungTests {
  beginFile(): void
  endFile(path: string): void
}

const limitMinutes = Number(process.env.TWAIN_TEST_LIMIT_MINUTES ?? 10)

/** How long a process may take to end after its last test. A busy machine, and timers of a few seconds, must not fail it. */
const graceSeconds = Number(process.env.TWAIN_TEST_GRACE_SECONDS ?? 30)

export function endHungTests(paths: string[]): HungTests {
  const leftOpen = new Map<string, string[]>()
  let open: string[] = []

  setTimeout(() => end(`${paths.join(', ')}: not ended after ${limitMinutes} minutes`), limitMinutes * 60_000).unref()
  after(() => {
    const message = `all tests have ended, but the process has not after ${graceSeconds} seconds`
    setTimeout(() => end(message), graceSeconds * 1000).unref()
  })
  return {
    beginFile() {
      open = process.getActiveResourcesInfo()
    },
    endFile(path) {
      const left = without(process.getActiveResourcesInfo(), open)
      if (left.length > 0) leftOpen.set(path, left)
    },
  }

  async function end(message: string): Promise<void> {
    const now = process.getActiveResourcesInfo()
    console.error(`✖ ${message}; still open: ${now.join(', ')}`)
    for (const [path, left] of leftOpen) {
      const still = left.filter((resource) => now.includes(resource)) // the others closed a moment later
      if (still.length > 0) console.error(`✖ ${path} left open: ${still.join(', ')}`)
    }
    process.exitCode = 1
    process.emit('beforeExit', 1) // node:test then prints the failures and the counts
    await pause(1000)
    process.exit(1)
  }
}

function without(all: string[], known: string[]): string[] {
  const rest = [...all]
  for (const one of known) {
    const index = rest.indexOf(one)
    if (index !== -1) rest.splice(index, 1)
  }
  return rest
}
