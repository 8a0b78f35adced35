// A failure, in words for the one at the terminal. What is not foreseen is a bug, and shows its stack.

import { CodeRejected } from '#code'
import { SchemaRejected } from '#main'
import { renderMistakes } from '#model'
import { StartRefused } from '#store'
import { SeedFailed } from '../serve/seed-data.ts'
import { createPaint } from './paint.ts'

export function explain(error: unknown, colour: boolean): string {
  return marked(error, colour, `${createPaint(colour).red('error')} `)
}

/** For a line of the log, which has its level already. */
export function explainInLog(error: unknown): string {
  return marked(error, false, '').trimEnd()
}

/** `mark` stands before each sentence. */
function marked(error: unknown, colour: boolean, mark: string): string {
  if (error instanceof SchemaRejected && error.mistakes.length > 0) {
    return `${renderMistakes(error.mistakes, error.sdl, { colour }).trimEnd()}\n`
  }
  if (error instanceof SchemaRejected || error instanceof StartRefused || error instanceof SeedFailed) {
    return `${mark}${error.message}\n`
  }
  if (error instanceof CodeRejected) return `${error.mistakes.map((mistake) => `${mark}${mistake}`).join('\n')}\n`
  const sentence = listenSentence(error as NodeJS.ErrnoException)
  if (sentence !== null) return `${mark}${sentence}\n`
  const stack = error instanceof Error ? error.stack : String(error)
  return `${mark}This should not have happened; please report it.\n${stack}\n`
}

function listenSentence(error: NodeJS.ErrnoException & { address?: string; port?: number }): string | null {
  if (error.syscall === 'getaddrinfo') return `The host of --host is not known here: ${error.message}`
  if (error.syscall !== 'listen') return null
  const place = `port ${error.port} of ${error.address}`
  switch (error.code) {
    case 'EADDRINUSE':
      return `Another program listens on ${place}. Choose another with --port, or 0 for any.`
    case 'EACCES':
      return `Listening on ${place} is not allowed. Ports from 1024 on usually are.`
    case 'EADDRNOTAVAIL':
      return `This machine has no address ${error.address}. 127.0.0.1 is this machine alone, 0.0.0.0 all its addresses.`
    default:
      return `Can't listen on ${place}: ${error.message}`
  }
}
