// Keeps a server going when custom code fails outside of a call: a promise that nobody awaits, a timer, an event without a
// listener. Node would end the process, and with it the requests of everybody.
//
// 1. An error of the server itself still ends the process: its state is not known. An error that a call of custom code rejects with
//    (`code/call-site.ts`) is none, nor is an `ApiError`: it is an expected failure.
// 2. `process.exit` of custom code drains like a signal. Its code is never 0: a supervisor that restarts failed services would
//    leave this one stopped.
// 3. Nothing here may throw, whatever was thrown: Node would end the process without a word.

import { ApiError, type Log } from '#base'
import { callSiteOf, thrownAt } from '#code'

interface ProcessGuardOptions {
  /** The folder of the custom code. */
  folder: string
  /** Whether the service has any. */
  hasCode: () => boolean
  log: Log
  /** Called once, with the exit code, when custom code ends the process. */
  exit: (code: number) => void
  /** Called after an error of the server itself was logged. */
  crash: () => void
}

type GuardedProcess = Pick<NodeJS.Process, 'on' | 'off' | 'exit'> & { exitCode?: NodeJS.Process['exitCode'] }

/** Returns a function that ends it. */
export function guardProcess(
  process: GuardedProcess,
  { folder, hasCode, log, exit, crash }: ProcessGuardOptions,
): () => void {
  const realExit = process.exit
  let isExiting = false
  /** What `process.exit` throws, so that the code behind it does not run. */
  const exits = new WeakSet<object>()
  const uncaught = (error: unknown) => {
    if (exits.has(error as object)) return
    const { stack, place, isExpected } = describe(error, folder)
    const fields = { ...(place !== null && { place }), 'exception.stacktrace': stack }
    const isOfCode = hasCode() && (isExpected || place !== null || !isOfServer(stack))
    if (isOfCode) log.error(fields, 'custom code failed outside of a call; the server goes on')
    else if (isExpected) log.error(fields, 'a call that nobody awaits failed; the server goes on')
    else {
      log.error(fields, 'internal error outside of a request: the process ends')
      crash()
    }
  }
  process.on('uncaughtException', uncaught)
  process.exit = (code) => {
    const called = new Error('process.exit was called')
    exits.add(called)
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

interface Failure {
  stack: string
  /** Where custom code threw it, or called what failed; null: not known. */
  place: string | null
  /** See 1. */
  isExpected: boolean
}

function describe(error: unknown, folder: string): Failure {
  try {
    if (!(error instanceof Error)) return { stack: String(error), place: null, isExpected: false }
    const site = callSiteOf(error)
    const stack = String(error.stack ?? error)
    const place = thrownAt({ stack }, folder) ?? (site === null ? null : thrownAt(site, folder))
    return { stack, place, isExpected: site !== null || error instanceof ApiError }
  } catch {
    return { stack: 'what was thrown has no text', place: null, isExpected: false } // see 3
  }
}

const ownFolder = new URL('.', new URL('../../../package.json', import.meta.url)).href

/** Whether code of the server itself threw it. Some errors have no frame but those of Node: they are of custom code. */
function isOfServer(stack: string): boolean {
  return stack.includes(ownFolder)
}
