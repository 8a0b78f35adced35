// Goes through all files once an hour, a portion at a time with a pause after each, so that nobody waits for it.

import { type Log, stackOf } from '#base'
import type { Files } from './files.ts'

const pause = 2000
const rest = 3600 * 1000

export interface Sweeping {
  /** Resolves when nothing is under way any more. */
  stop(): Promise<void>
}

export function startSweeping(files: Pick<Files, 'sweep'>, log: Log, pauses = { pause, rest }): Sweeping {
  let timer: NodeJS.Timeout
  let working: Promise<void> = Promise.resolve()
  let stopped = false
  const wait = (time: number) => {
    if (!stopped) timer = setTimeout(() => (working = work()), time).unref()
  }
  const work = async () => {
    try {
      wait((await files.sweep()) ? pauses.rest : pauses.pause)
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
