// Keeps a server going when custom code fails outside of a call: a promise that nobody awaits, a timer, an event without a
// listener. Node would end the process, and with it the requests of everybody.
//
// 1. An error of the server itself still ends the process: its state is not known.
// 2. `process.exit` of custom code drains like a signal. Its code is never 0: a supervisor that restarts failed services would
//    leave this one stopped.

import type { Log } from '#base'
import { thrownAt } from '#code'

/** What `process.exit` throws, so that the code behind it does not run. */
class Exiting extends Error {}

interface ProcessGuardOptions {
  /** The folder of the custom code. */
  folder: string
  log: Log
  /** Called once, with the exit code, when custom code ends the process. */
  exit: (code: number) => void
  /** Called after an error of the server itself was logged. */
  crash: () => void
}

type GuardedProcess = Pick<NodeJS.Process, 'on' | 'off' | 'exit'> & { exitCode?: NodeJS.Process['exitCode'] }

/** Returns a function that ends it. */
export function guardProcess(process: GuardedProcess, { folder, log, exit, crash }: ProcessGuardOptions): () => void {
  const realExit = process.exit
  let isExiting = false
  const uncaught = (error: unknown) => {
    if (error instanceof Exiting) return
    const { stack, place } = describe(error, folder)
    const fields = { ...(place !== null && { place }), 'exception.stacktrace': stack }
    if (place === null && isOfServer(stack)) {
      log.error(fields, 'internal error outside of a request: the process ends')
      crash()
    } else log.error(fields, 'custom code failed outside of a call; the server goes on')
  }
  process.on('uncaughtException', uncaught)
  process.exit = (code) => {
    const called = new Exiting('process.exit was called')
    Error.captureStackTrace(called, process.exit)
    const wanted = Number(code ?? process.exitCode ?? 0) || 1
    const { stack, place } = describe(called, folder)
    log.error(
      { ...(place !== null && { place }), exit_code: wanted, 'exception.stacktrace': stack },
      'custom code called process.exit; the server stops',
    )
    if (!isExiting) exit(wanted)
    isExiting = true
    throw called
  }
  return () => {
    process.off('uncaughtException', uncaught)
    process.exit = realExit
  }
}

function describe(error: unknown, folder: string): { stack: string; place: string | null } {
  if (!(error instanceof Error)) return { stack: String(error), place: null }
  return { stack: error.stack ?? String(error), place: thrownAt(error, folder) }
}

const ownFolder = new URL('.', new URL('../../../package.json', import.meta.url)).href

/** Whether code of the server itself threw it. Some errors have no frame but those of Node: they are of custom code. */
function isOfServer(stack: string): boolean {
  return stack.includes(ownFolder)
}
