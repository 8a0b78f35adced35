// Opens the log of a command: buffered JSON for production, short text at once for people.

import { type Log, LogHistory } from '#base'
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
  /** The last entries. */
  history: LogHistory<ServedRequest>
  /** Resolves when everything is written. */
  close(): Promise<void>
}

export function openLogs(production: boolean, settings: LogSettings, surface: Terminal): Logs {
  const history = new LogHistory<ServedRequest>(requestEntry)
  return production ? jsonLogs(settings, surface, history) : humanLogs(settings, surface, history)
}

/** The tail of the log does not show those who read it. */
function keepRequest(history: LogHistory<ServedRequest>, served: ServedRequest): void {
  if (!served.path.endsWith('/metrics/log')) history.gather(served)
}

function jsonLogs(settings: LogSettings, { append, err }: Terminal, history: LogHistory<ServedRequest>): Logs {
  const writer = new LogWriter(append ?? atOnce(err), requestEntry)
  const gather = (served: ServedRequest) => {
    writer.gather(served)
    keepRequest(history, served)
  }
  return {
    log: leveled(history.keeping(jsonLog(writer.writeNow)), settings),
    onServed: settings.requests ? requestLog(gather, settings) : null,
    history,
    close: () => writer.end(),
  }
}

function atOnce(write: WriteText): AppendBytes {
  return (bytes, done) => {
    write(Buffer.from(bytes).toString())
    done()
  }
}

function humanLogs(settings: LogSettings, { err, colours }: Terminal, history: LogHistory<ServedRequest>): Logs {
  const shown = leveled(humanLog(err, createPaint(colours.err)), settings)
  const keep = requestLog((served: ServedRequest) => keepRequest(history, served), settings)
  const onServed = (served: ServedRequest) => {
    const { method, path, status, milliseconds, stages } = served
    shown.info(stages === null ? {} : { stages }, `${method} ${path} ${status} in ${milliseconds.toFixed(1)} ms`)
    keep(served)
  }
  const log = leveled(history.keeping(humanLog(err, createPaint(colours.err))), settings)
  return { log, onServed: settings.requests ? onServed : null, history, close: async () => {} }
}
