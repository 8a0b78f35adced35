// Where the command runs: on a terminal, or in a test.

import { appendTo } from './append-to.ts'
import type { WriteText } from './log.ts'
import type { AppendBytes } from './log-writer.ts'
import { hasColours } from './paint.ts'

export interface Terminal {
  env: Readonly<Record<string, string | undefined>>
  out: WriteText
  err: WriteText
  /** Where the log of `twain start` goes, without waiting for its reader; left out: to `err`. */
  append?: AppendBytes
  /** Whether colours can be seen there. */
  colours: { out: boolean; err: boolean }
  /** Aborted when the command shall stop. */
  stop: AbortSignal
}

export function terminal(): Terminal {
  mindReaders()
  return {
    env: process.env,
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    append: appendTo(process.stderr.fd),
    colours: { out: hasColours(process.stdout), err: hasColours(process.stderr) },
    stop: stopSignal(),
  }
}

/** What a command killed by SIGPIPE ends with in a shell. Node ignores that signal, and tells of the pipe by an error. */
const BROKEN_PIPE = 141

/** `twain print … | head`: who has read enough ends us, as any other command. Nobody can be told that stderr has no reader, and
 *  a server goes on without. */
function mindReaders(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit(BROKEN_PIPE)
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

/** Milliseconds in which a signal is still the first one: of one Ctrl-C the terminal and a launcher may both tell us. */
const SAME = 500

/** The first signal asks to stop; another one does not wait. */
function stopSignal(): AbortSignal {
  const controller = new AbortController()
  let asked = 0
  for (const [name, code] of signals) {
    process.on(name, () => {
      if (controller.signal.aborted && performance.now() - asked > SAME) process.exit(code)
      asked ||= performance.now()
      controller.abort()
    })
  }
  return controller.signal
}
