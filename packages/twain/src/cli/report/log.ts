// The two looks of the log: JSON lines for machines, short lines for people.

import type { Log } from '#base'
import type { ServedRequest } from '#http'
import type { Paint } from './paint.ts'

export type WriteText = (text: string) => void

export const levels = ['info', 'warn', 'error', 'off'] as const

export interface LogSettings {
  /** The least that is told. */
  level: (typeof levels)[number]
  /** Whether there is a line for each request. */
  requests: boolean
}

export function jsonLog(write: WriteText, now: () => Date = () => new Date()): Log {
  const line = (level: string) => (fields: object, message: string) =>
    write(`${JSON.stringify({ time: now().toISOString(), level, message, ...fields })}\n`)
  return { info: line('info'), warn: line('warn'), error: line('error') }
}

export function humanLog(write: WriteText, paint: Paint): Log {
  const line = (mark: string) => (fields: object, message: string) => write(`${mark}${message}${details(fields)}\n`)
  return { info: line(''), warn: line(`${paint.yellow('warning')} `), error: line(`${paint.red('error')} `) }
}

/** Only what is at least of the level. */
export function leveled(log: Log, { level }: Pick<LogSettings, 'level'>): Log {
  const least = levels.indexOf(level)
  const from = (own: keyof Log) => (levels.indexOf(own) >= least ? log[own] : silence)
  return { info: from('info'), warn: from('warn'), error: from('error') }
}

const silence = (): void => {}

/** Passes on those requests that are told of. */
export function requestLog(
  gather: (served: ServedRequest) => void,
  { level }: Pick<LogSettings, 'level'>,
): (served: ServedRequest) => void {
  const least = levels.indexOf(level)
  const [tellsAll, tellsFailures] = [levels.indexOf('info') >= least, levels.indexOf('error') >= least]
  return (served) => {
    if (served.status >= 500 ? tellsFailures : tellsAll) gather(served)
  }
}

/** The line of a request. What could be a secret is not in it: no query string, no header field that the client chose but
 *  the ids by which it is followed. It is written for each request, so its text is put together by hand: ids, methods and
 *  addresses were checked when they came in, and hold nothing that JSON would escape. */
export function requestEntry(served: ServedRequest): string {
  const { id, at, method, path, status, milliseconds, bytes, address, viewer, traceparent, stages, aborted } = served
  return (
    `{"time":"${clock.format(at)}","level":"${status >= 500 ? 'error' : 'info'}","message":"request","request_id":"${id}",` +
    `"http.request.method":"${method}","url.path":${quote(path)},"http.response.status_code":${status},` +
    `"duration_ms":${hundredths(milliseconds)},"http.response.body.size":${bytes ?? 'null'},"client.address":"${address}"` +
    (viewer === null ? '' : `,"user.id":${quote(viewer)}`) +
    (traceparent === null ? '' : `,"traceparent":"${traceparent}"`) +
    (stages === null ? '' : `,"stages":${JSON.stringify(stages)}`) +
    (aborted ? ',"aborted":true}\n' : '}\n')
  )
}

/** A JSON string. Nearly all texts here are plain, and for those there is nothing to escape. */
function quote(text: string): string {
  return plain.test(text) ? `"${text}"` : JSON.stringify(text)
}

const plain = /^[ !#-[\]-~]*$/

/** As `toFixed(2)` has it, at a fifth of its time. */
function hundredths(value: number): string {
  const all = Math.round(value * 100)
  const rest = all % 100
  return `${(all - rest) / 100}.${rest < 10 ? '0' : ''}${rest}`
}

/** Tells the time as ISO 8601, of which only the end changes within a second, and nothing within a millisecond. */
class Clock {
  #now = 0
  #text = ''
  #second = 0
  #head = ''

  /** Milliseconds as `Date.now` counts them. */
  format(now: number): string {
    if (now === this.#now) return this.#text
    this.#now = now
    const second = Math.floor(now / 1000)
    if (second !== this.#second) {
      this.#second = second
      this.#head = new Date(second * 1000).toISOString().slice(0, 20)
    }
    this.#text = `${this.#head}${String(now - second * 1000).padStart(3, '0')}Z`
    return this.#text
  }
}

const clock = new Clock()

/** A text of several lines, such as a stack, gets lines of its own. */
function details(fields: object): string {
  return Object.entries(fields)
    .map(([name, value]) => {
      const text = typeof value === 'string' ? value : JSON.stringify(value)
      return text?.includes('\n') ? `\n${text.replace(/^/gm, '  ')}` : ` ${name}=${text}`
    })
    .join('')
}
