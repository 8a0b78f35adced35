// The environment of a command: its streams, variables and stop signal. Tests pass their own.

import { write } from 'node:fs'
import { monotonicTime, setTimeout } from '#base/time'
import { readEnvFile, type Variables } from '../settings/environment.ts'
import type { WriteText } from './log.ts'
import type { AppendBytes } from './log-writer.ts'
import { hasColours } from './paint.ts'

export interface Terminal {
  env: Variables
  /** The variables of `.env`. */
  envFile?: Variables
  out: WriteText
  err: WriteText
  /** Writes the log of `twain start` without blocking. Default: `err`. */
  append?: AppendBytes
  /** Whether each stream is a terminal with colours. */
  colours: { out: boolean; err: boolean }
  /** Aborted when the command must stop. */
  stop: AbortSignal
  /** Ends the process at once. */
  exit?: (code: number) => void
  /** The process, if it belongs to the command alone. */
  process?: NodeJS.Process
}

/** Custom code calls another while a server runs (`watchdog/process-guard.ts`). */
const exitProcess = process.exit.bind(process)

export function terminal(): Terminal {
  handleClosedPipes()
  const env = { ...process.env }
  const envFile = readEnvFile()
  for (const [name, value] of Object.entries(envFile)) process.env[name] ??= value // for custom code
  return {
    env,
    envFile,
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    append: appendTo(process.stderr.fd),
    colours: { out: hasColours(process.stdout), err: hasColours(process.stderr) },
    stop: stopSignal(),
    exit: (code) => exitProcess(code),
    process,
  }
}

/** The exit code of a command that SIGPIPE kills. Node ignores the signal and emits an error instead. */
const BROKEN_PIPE = 141

/** `twain print … | head`: when the reader of stdout closes the pipe, the process exits like any other command. A server
 *  without a reader of stderr continues. */
function handleClosedPipes(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    exitProcess(BROKEN_PIPE)
  })
  process.stderr.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
}

const signals = [
  ['SIGHUP', 129],
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const

/** Signals within this time count as one: on Ctrl-C both the terminal and a launcher may send one. */
const SAME_SIGNAL_MS = 500

/** The first signal stops gracefully; a second one exits at once. */
function stopSignal(): AbortSignal {
  const controller = new AbortController()
  let firstSignalAt = 0
  for (const [name, code] of signals) {
    process.on(name, () => {
      if (controller.signal.aborted && monotonicTime() - firstSignalAt > SAME_SIGNAL_MS) exitProcess(code)
      firstSignalAt ||= monotonicTime()
      controller.abort()
    })
  }
  return controller.signal
}

/** The pause before the next write to a full pipe. */
const retryMs = 10

/** Appends to an open file, pipe or terminal without blocking. Node's own stderr blocks until the reader of a pipe reads. */
function appendTo(descriptor: number): AppendBytes {
  const put = (bytes: Uint8Array, done: () => void): void => {
    write(descriptor, bytes, (error, written) => {
      if (error?.code === 'EAGAIN') setTimeout(put, retryMs, bytes, done)
      else if (error !== null || written === bytes.length)
        done() // after an error nobody reads the pipe any more
      else put(bytes.subarray(written), done)
    })
  }
  return put
}
