// The two looks of the log: JSON lines for machines, short lines for people.

import type { Log } from '#base'
import type { Served } from '#http'
import type { Paint } from './paint.ts'

export type Write = (text: string) => void

export const levels = ['info', 'warn', 'error', 'off'] as const

export interface LogSettings {
  /** The least that is told. */
  level: (typeof levels)[number]
  /** Whether there is a line for each request. */
  requests: boolean
}

export function jsonLog(write: Write, now: () => Date = () => new Date()): Log {
  const line = (level: string) => (fields: object, message: string) =>
    write(`${JSON.stringify({ time: now().toISOString(), level, message, ...fields })}\n`)
  return { info: line('info'), warn: line('warn'), error: line('error') }
}

export function humanLog(write: Write, paint: Paint): Log {
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

/** The line of a request. What could be a secret is not in it: no query string, no header field that the client chose but
 *  the ids by which it is followed. It is written for each request, so its text is put together by hand: ids, methods and
 *  addresses were checked when they came in, and hold nothing that JSON would escape. */
export function requestLog(write: Write, { level }: Pick<LogSettings, 'level'>): (served: Served) => void {
  const least = levels.indexOf(level)
  const clock = new SecondClock()
  return (served) => {
    const { id, method, path, status, milliseconds, bytes, address, viewer, traceparent, stages, aborted } = served
    const own = status >= 500 ? 'error' : 'info'
    if (levels.indexOf(own) < least) return
    write(
      `{"time":"${clock.now()}","level":"${own}","message":"request","id":"${id}","method":"${method}","path":${quote(path)},` +
        `"status":${status},"ms":${milliseconds.toFixed(2)},"bytes":${bytes ?? 'null'},"address":"${address}"` +
        (viewer === null ? '' : `,"viewer":${quote(viewer)}`) +
        (traceparent === null ? '' : `,"traceparent":"${traceparent}"`) +
        (stages === null ? '' : `,"stages":${JSON.stringify(stages)}`) +
        (aborted ? ',"aborted":true}\n' : '}\n'),
    )
  }
}

/** A JSON string. Nearly all texts here are plain, and for those there is nothing to escape. */
function quote(text: string): string {
  return plain.test(text) ? `"${text}"` : JSON.stringify(text)
}

const plain = /^[ !#-[\]-~]*$/

/** Tells the time as ISO 8601, of which only the end changes within a second. */
class SecondClock {
  #second = 0
  #text = ''

  now(): string {
    const now = Date.now()
    const second = Math.floor(now / 1000)
    if (second !== this.#second) {
      this.#second = second
      this.#text = new Date(second * 1000).toISOString().slice(0, 20)
    }
    return `${this.#text}${String(now - second * 1000).padStart(3, '0')}Z`
  }
}

/** A text of several lines, such as a stack, gets lines of its own. */
function details(fields: object): string {
  return Object.entries(fields)
    .map(([name, value]) => {
      const text = typeof value === 'string' ? value : JSON.stringify(value)
      return text?.includes('\n') ? `\n${text.replace(/^/gm, '  ')}` : ` ${name}=${text}`
    })
    .join('')
}
