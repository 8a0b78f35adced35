// A line that is written over and over on a terminal; where nobody looks, nothing.

import type { Surface } from './surface.ts'

const width = 30

/** Milliseconds between two pictures of it. */
const pause = 100

interface ProgressBar {
  show(done: number, all: number, what: string | null): void
  clear(): void
}

export function progressBar({ err, colours }: Pick<Surface, 'err' | 'colours'>): ProgressBar {
  if (!colours.err) return { show() {}, clear() {} }
  let shown = Number.NEGATIVE_INFINITY
  return {
    show(done, all, what) {
      if (what !== null && performance.now() - shown < pause) return
      shown = performance.now()
      const share = all === 0 ? 1 : done / all
      const full = Math.round(share * width)
      const bar = `${'█'.repeat(full)}${'░'.repeat(width - full)}`
      err(`\r\x1b[K${bar} ${Math.floor(share * 100)} %  ${done} of ${all} rows  ${what ?? 'making indexes'}`)
    },
    clear: () => err('\r\x1b[K'),
  }
}
