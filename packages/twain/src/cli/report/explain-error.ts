// Formats an error for the terminal. An unexpected error is a bug and shows its stack.

import { ApiError } from '#base'
import { CodeRejected } from '#code'
import { SchemaRejected } from '#main'
import { renderMistakes } from '#model'
import { StartRefused, storageFailure } from '#store'
import { createPaint } from './paint.ts'

/** The seed module can't be loaded, or a row of it was refused. The message is for the user. */
export class SeedFailed extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'SeedFailed'
  }
}

/** A command has failed for a reason that the message tells the user. */
export class CommandFailed extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'CommandFailed'
  }
}

export function explain(error: unknown, colour: boolean): string {
  return marked(error, colour, `${createPaint(colour).red('error')} `)
}

/** For a log entry, which has its own level. */
export function explainInLog(error: unknown): string {
  return marked(error, false, '').trimEnd()
}

/** Puts `mark` before each message. */
function marked(error: unknown, colour: boolean, mark: string): string {
  if (error instanceof SchemaRejected && error.mistakes.length > 0) {
    return `${renderMistakes(error.mistakes, error.sources, { colour }).trimEnd()}\n`
  }
  if (isForUser(error)) {
    return `${mark}${error.message}\n`
  }
  if (error instanceof CodeRejected) return `${error.mistakes.map((mistake) => `${mark}${mistake}`).join('\n')}\n`
  const sentence = listenSentence(error as NodeJS.ErrnoException)
  if (sentence !== null) return `${mark}${sentence}\n`
  const failure = storageSentence(error)
  if (failure !== null) return `${mark}${failure}\n`
  if (error instanceof ApiError) return `${mark}${error.message}\n${error.hint === undefined ? '' : `${error.hint}\n`}`
  const stack = error instanceof Error ? error.stack : String(error)
  return `${mark}Internal error: this is a bug in Twain. Please report it.\n${stack}\n`
}

/** Null unless the disk or the database file failed. */
export function storageSentence(error: unknown): string | null {
  const failure = storageFailure(error)
  if (failure === null) return null
  const isSqlite = typeof (error as { errcode?: unknown }).errcode === 'number'
  const sentence = failure === 'full' ? diskIsFull : isSqlite ? fileIsDamaged : databaseIsDamaged
  return `${sentence} (${(error as Error).message})`
}

const diskIsFull = 'The disk is full. Free some space, then try again; what was written before is whole.'
const fileIsDamaged =
  'The database file is damaged: twain doctor --deep shows how much. Stop the server, move the data folder away, and restore a backup with twain restore.'
const databaseIsDamaged =
  'The PostgreSQL database is damaged: twain doctor --deep and pg_amcheck show how much. Stop the service, and restore a backup of the database.'

function isForUser(error: unknown): error is Error {
  const kinds = [SchemaRejected, StartRefused, SeedFailed, CommandFailed]
  return kinds.some((kind) => error instanceof kind)
}

function listenSentence(error: NodeJS.ErrnoException & { address?: string; port?: number }): string | null {
  if (error.syscall === 'getaddrinfo') return `The name of --host could not be resolved: ${error.message}`
  if (error.syscall !== 'listen') return null
  const place = `port ${error.port} of ${error.address}`
  switch (error.code) {
    case 'EADDRINUSE':
      return `Another program already listens on ${place}. Choose another port with --port; 0 picks a free one.`
    case 'EACCES':
      return `Permission denied to listen on ${place}. Choose a port from 1024 on.`
    case 'EADDRNOTAVAIL':
      return `This machine has no address ${error.address}. Use 127.0.0.1 for this machine only, or 0.0.0.0 for all its addresses.`
    default:
      return `Can't listen on ${place}: ${error.message}`
  }
}
