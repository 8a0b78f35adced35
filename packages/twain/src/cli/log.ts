// The two looks of the log: JSON lines for machines, short lines for people.

import type { Log } from '#base'
import type { Paint } from './paint.ts'

export type Write = (text: string) => void

export function jsonLog(write: Write, now: () => Date = () => new Date()): Log {
  const line = (level: string) => (fields: object, message: string) =>
    write(`${JSON.stringify({ time: now().toISOString(), level, message, ...fields })}\n`)
  return { info: line('info'), warn: line('warn'), error: line('error') }
}

export function humanLog(write: Write, paint: Paint): Log {
  const line = (mark: string) => (fields: object, message: string) => write(`${mark}${message}${details(fields)}\n`)
  return { info: line(''), warn: line(`${paint.yellow('warning')} `), error: line(`${paint.red('error')} `) }
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
