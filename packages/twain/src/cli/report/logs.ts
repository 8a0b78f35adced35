// Opens the log of a command: buffered JSON for production, short text at once for people.

import type { Log } from '#base'
import type { ServedRequest } from '#http'
import type { LogSettings } from '../settings/log-settings.ts'
import { humanLog, jsonLog, leveled, requestEntry, requestLog, type WriteText } from './log.ts'
import { type AppendBytes, LogWriter } from './log-writer.ts'
import { createPaint } from './paint.ts'
import type { Terminal } from './terminal.ts'

export interface Logs {
  log: Log
  /** Null if requests are not logged. */
  onServed: ((served: ServedRequest) => void) | null
  /** Resolves when everything is written. */
  close(): Promise<void>
}

export function openLogs(production: boolean, settings: LogSettings, surface: Terminal): Logs {
  return production ? jsonLogs(settings, surface) : humanLogs(settings, surface)
}

function jsonLogs(settings: LogSettings, { append, err }: Terminal): Logs {
  const writer = new LogWriter(append ?? atOnce(err), requestEntry)
  return {
    log: leveled(jsonLog(writer.writeNow), settings),
    onServed: settings.requests ? requestLog(writer.gather, settings) : null,
    close: () => writer.end(),
  }
}

function atOnce(write: WriteText): AppendBytes {
  return (bytes, done) => {
    write(Buffer.from(bytes).toString())
    done()
  }
}

function humanLogs(settings: LogSettings, { err, colours }: Terminal): Logs {
  const log = leveled(humanLog(err, createPaint(colours.err)), settings)
  const onServed = ({ method, path, status, milliseconds, stages }: ServedRequest) =>
    log.info(stages === null ? {} : { stages }, `${method} ${path} ${status} in ${milliseconds.toFixed(1)} ms`)
  return { log, onServed: settings.requests ? onServed : null, close: async () => {} }
}
