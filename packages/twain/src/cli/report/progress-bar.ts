// A progress bar on a terminal; elsewhere nothing is printed.

import { monotonicTime } from '#base/time'
import type { CopyAmount } from '#store'
import type { Terminal } from './terminal.ts'

const width = 30

const redrawMs = 100

interface ProgressBar {
  show(done: CopyAmount, all: CopyAmount, what: string | null): void
  clear(): void
}

export function progressBar({ err, colours }: Pick<Terminal, 'err' | 'colours'>): ProgressBar {
  if (!colours.err) return { show() {}, clear() {} }
  let shown = Number.NEGATIVE_INFINITY
  return {
    show(done, all, what) {
      if (what !== null && monotonicTime() - shown < redrawMs) return
      shown = monotonicTime()
      const share = workOf(all) === 0 ? 1 : workOf(done) / workOf(all)
      err(
        `\r\x1b[K${drawn(share)} ${done.rows} of ${all.rows} rows${filesOf(done, all)}  ${what ?? 'building indexes'}`,
      )
    },
    clear: () => err('\r\x1b[K'),
  }
}

/** The same for the bytes of a file. Without a size, which is not known beforehand, it only counts rows. */
export function rowBar({ err, colours }: Pick<Terminal, 'err' | 'colours'>): {
  show(read: { position: number; size: number } | null, rows: number, what: string): void
  clear(): void
} {
  if (!colours.err) return { show() {}, clear() {} }
  let shown = Number.NEGATIVE_INFINITY
  return {
    show(read, rows, what) {
      if (monotonicTime() - shown < redrawMs) return
      shown = monotonicTime()
      const bar = read === null ? '' : `${drawn(Math.min(1, read.position / read.size))} `
      err(`\r\x1b[K${bar}${rows} rows  ${what}`)
    },
    clear: () => err('\r\x1b[K'),
  }
}

/** The same for planned steps. An unplanned step is shown but not counted. */
export function stepBar(
  { err, colours }: Pick<Terminal, 'err' | 'colours'>,
  planned: readonly string[],
): { show(step: string): void; clear(): void } {
  if (!colours.err) return { show() {}, clear() {} }
  let done = -1
  return {
    show(step) {
      done = Math.max(done, planned.indexOf(step))
      const share = Math.max(0, done) / planned.length
      err(`\r\x1b[K${drawn(share)} step ${done + 1} of ${planned.length}  ${oneLine(step)}`)
    },
    clear: () => err('\r\x1b[K'),
  }
}

function oneLine(step: string): string {
  const line = step.replaceAll(/\s+/g, ' ').replace(/^-- /, '')
  return line.length <= maxStepLength ? line : `${line.slice(0, maxStepLength)}…`
}

const maxStepLength = 60

function drawn(share: number): string {
  const full = Math.round(share * width)
  return `${'█'.repeat(full)}${'░'.repeat(width - full)} ${Math.floor(share * 100)} % `
}

/** In rows: copying 4096 bytes takes about as long as copying one row. */
function workOf({ rows, bytes }: CopyAmount): number {
  return rows + bytes / 4096
}

function filesOf(done: CopyAmount, all: CopyAmount): string {
  return all.bytes === 0 ? '' : `, ${megabytes(done.bytes)} of ${megabytes(all.bytes)} MB of files`
}

export function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1)
}
