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

type KeepRequest = (served: ServedRequest) => void

/** `basePath`: where the APIs are. The tail of the log does not show those who read it there. */
export function openLogs(production: boolean, settings: LogSettings, surface: Terminal, basePath = ''): Logs {
  const history = new LogHistory<ServedRequest>(requestEntry)
  const tailPath = `${basePath}/metrics/log`
  const keepRequest: KeepRequest = (served) => {
    if (served.path !== tailPath) history.gather(served)
  }
  const open = production ? jsonLogs : humanLogs
  return { ...open(settings, surface, history, keepRequest), history }
}

function jsonLogs(
  settings: LogSettings,
  { append, err }: Terminal,
  history: LogHistory<ServedRequest>,
  keepRequest: KeepRequest,
): Omit<Logs, 'history'> {
  const writer = new LogWriter(append ?? atOnce(err), requestEntry)
  const gather = (served: ServedRequest) => {
    writer.gather(served)
    keepRequest(served)
  }
  return {
    log: leveled(history.keeping(jsonLog(writer.writeNow)), settings),
    onServed: settings.requests ? requestLog(gather, settings) : null,
    close: () => writer.end(),
  }
}

function atOnce(write: WriteText): AppendBytes {
  return (bytes, done) => {
    write(Buffer.from(bytes).toString())
    done()
  }
}

function humanLogs(
  settings: LogSettings,
  { err, colours }: Terminal,
  history: LogHistory<ServedRequest>,
  keepRequest: KeepRequest,
): Omit<Logs, 'history'> {
  const shown = leveled(humanLog(err, createPaint(colours.err)), settings)
  const keep = requestLog(keepRequest, settings)
  const onServed = (served: ServedRequest) => {
    const { method, path, status, milliseconds, stages } = served
    shown.info(stages === null ? {} : { stages }, `${method} ${path} ${status} in ${milliseconds.toFixed(1)} ms`)
    keep(served)
  }
  const log = leveled(history.keeping(humanLog(err, createPaint(colours.err))), settings)
  return { log, onServed: settings.requests ? onServed : null, close: async () => {} }
}
