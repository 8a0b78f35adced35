// The two formats of the log: JSON for machines, short text for people.

import { formatDateTime, type Log } from '#base'
import { wallTime } from '#base/time'
import type { ServedRequest } from '#http'
import { type LogSettings, levels } from '../settings/log-settings.ts'
import type { Paint } from './paint.ts'

export type WriteText = (text: string) => void

export function jsonLog(write: WriteText, now: () => Date = () => new Date(wallTime())): Log {
  const entry = (level: string) => (fields: object, message: string) =>
    write(`${JSON.stringify({ time: now().toISOString(), level, message, ...fields })}\n`)
  return { info: entry('info'), warn: entry('warn'), error: entry('error') }
}

export function humanLog(write: WriteText, paint: Paint): Log {
  const entry = (mark: string) => (fields: object, message: string) => write(`${mark}${message}${details(fields)}\n`)
  return { info: entry(''), warn: entry(`${paint.yellow('warning')} `), error: entry(`${paint.red('error')} `) }
}

/** Drops entries below the level. */
export function leveled(log: Log, { level }: Pick<LogSettings, 'level'>): Log {
  const lowest = levels.indexOf(level)
  const from = (name: keyof Log) => (levels.indexOf(name) >= lowest ? log[name] : silence)
  return { info: from('info'), warn: from('warn'), error: from('error') }
}

const silence = (): void => {}

/** Passes on the requests that the level includes. */
export function requestLog(
  gather: (served: ServedRequest) => void,
  { level }: Pick<LogSettings, 'level'>,
): (served: ServedRequest) => void {
  const lowest = levels.indexOf(level)
  const [logsAll, logsFailures] = [levels.indexOf('info') >= lowest, levels.indexOf('error') >= lowest]
  return (served) => {
    if (served.status >= 500 ? logsFailures : logsAll) gather(served)
  }
}

/** The log entry of a request. It contains no secrets: no query string, and of the client's header fields only the request id
 *  and `traceparent`. It runs for each request, so it concatenates the JSON itself. Ids, methods and addresses were validated
 *  before and contain nothing that JSON escapes. */
export function requestEntry(served: ServedRequest): string {
  const { id, at, method, path, status, milliseconds, bytes, address, viewer, actor, traceparent, stages, aborted } =
    served
  return (
    `{"time":"${formatDateTime(at)}","level":"${status >= 500 ? 'error' : 'info'}","message":"request","request_id":"${id}",` +
    `"http.request.method":"${method}","url.path":${quote(path)},"http.response.status_code":${status},` +
    `"duration_ms":${hundredths(milliseconds)},"http.response.body.size":${bytes ?? 'null'},"client.address":"${address}"` +
    (viewer === null ? '' : `,"user.id":${quote(viewer)}`) +
    (actor === undefined ? '' : `,"acting.by":${quote(actor)}`) +
    (traceparent === null ? '' : `,"traceparent":"${traceparent}"`) +
    (stages === null ? '' : `,"stages":${JSON.stringify(stages)}`) +
    (aborted ? ',"aborted":true}\n' : '}\n')
  )
}

/** A JSON string. Nearly all texts here are plain ASCII without anything to escape. */
function quote(text: string): string {
  return plain.test(text) ? `"${text}"` : JSON.stringify(text)
}

const plain = /^[ !#-[\]-~]*$/

/** Like `toFixed(2)`, in a fifth of its time. */
function hundredths(value: number): string {
  const all = Math.round(value * 100)
  const rest = all % 100
  return `${(all - rest) / 100}.${rest < 10 ? '0' : ''}${rest}`
}

/** A multi-line text, such as a stack, starts on a new line. */
function details(fields: object): string {
  return Object.entries(fields)
    .map(([name, value]) => {
      const text = typeof value === 'string' ? value : JSON.stringify(value)
      return text?.includes('\n') ? `\n${text.replace(/^/gm, '  ')}` : ` ${name}=${text}`
    })
    .join('')
}
