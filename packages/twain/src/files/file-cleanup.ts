// Goes through all files once an hour, a portion at a time with a pause after each, so that nobody waits for it.

import { type Log, stackOf } from '#base'
import type { Files } from './files.ts'

const pause = 2000
const rest = 3600 * 1000

export interface FileCleanup {
  /** Resolves when nothing is under way any more. */
  stop(): Promise<void>
}

export function startFileCleanup(files: Pick<Files, 'cleanUp'>, log: Log, pauses = { pause, rest }): FileCleanup {
  let timer: NodeJS.Timeout
  let working: Promise<void> = Promise.resolve()
  let stopped = false
  const wait = (time: number) => {
    if (!stopped) timer = setTimeout(() => (working = work()), time).unref()
  }
  const work = async () => {
    try {
      wait((await files.cleanUp()) ? pauses.rest : pauses.pause)
    } catch (error) {
      log.error({ 'exception.stacktrace': stackOf(error) }, 'unreferenced files could not be deleted')
      wait(pauses.rest)
    }
  }
  wait(pauses.pause)
  return {
    stop() {
      stopped = true
      clearTimeout(timer)
      return working
    },
  }
}
