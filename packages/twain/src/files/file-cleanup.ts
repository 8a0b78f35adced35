// Deletes unreferenced files in the background: goes through all files about once an hour, in small steps with a delay.

import { type Log, stackOf } from '#base'
import { clearTimeout, setTimeout } from '#base/time'
import type { Files } from './files.ts'

const stepDelayMs = 2000
const roundDelayMs = 3600 * 1000

export interface FileCleanup {
  /** Resolves when no step is running. */
  stop(): Promise<void>
}

export function startFileCleanup(
  files: Pick<Files, 'cleanUp'>,
  log: Log,
  delays = { stepDelayMs, roundDelayMs },
): FileCleanup {
  let timer: NodeJS.Timeout
  let working: Promise<void> = Promise.resolve()
  let isStopped = false
  const wait = (time: number) => {
    if (!isStopped) timer = setTimeout(() => (working = work()), time).unref()
  }
  const work = async () => {
    try {
      wait((await files.cleanUp()) ? delays.roundDelayMs : delays.stepDelayMs)
    } catch (error) {
      log.error({ 'exception.stacktrace': stackOf(error) }, 'unreferenced files could not be deleted')
      wait(delays.roundDelayMs)
    }
  }
  wait(delays.stepDelayMs)
  return {
    stop() {
      isStopped = true
      clearTimeout(timer)
      return working
    },
  }
}
