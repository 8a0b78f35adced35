// A line that is written over and over on a terminal; where nobody looks, nothing.

import type { Amount } from '#store'
import type { Surface } from './surface.ts'

const width = 30

/** Milliseconds between two pictures of it. */
const pause = 100

interface ProgressBar {
  show(done: Amount, all: Amount, what: string | null): void
  clear(): void
}

export function progressBar({ err, colours }: Pick<Surface, 'err' | 'colours'>): ProgressBar {
  if (!colours.err) return { show() {}, clear() {} }
  let shown = Number.NEGATIVE_INFINITY
  return {
    show(done, all, what) {
      if (what !== null && performance.now() - shown < pause) return
      shown = performance.now()
      const share = workOf(all) === 0 ? 1 : workOf(done) / workOf(all)
      const full = Math.round(share * width)
      const bar = `${'█'.repeat(full)}${'░'.repeat(width - full)}`
      err(
        `\r\x1b[K${bar} ${Math.floor(share * 100)} %  ${done.rows} of ${all.rows} rows${filesOf(done, all)}  ${what ?? 'making indexes'}`,
      )
    },
    clear: () => err('\r\x1b[K'),
  }
}

/** In rows: so many bytes take about as long as one. */
function workOf({ rows, bytes }: Amount): number {
  return rows + bytes / 4096
}

function filesOf(done: Amount, all: Amount): string {
  return all.bytes === 0 ? '' : `, ${megabytes(done.bytes)} of ${megabytes(all.bytes)} MB of files`
}

export function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1)
}
