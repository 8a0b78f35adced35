// What `twain dev` does when the schema file was saved: serves what it says now, and tells what came of it.

import { unreachable } from '#base'
import type { Service } from '#main'
import { compareModels, type Difference } from '#model'
import { explain } from '../report/explain-error.ts'
import { createPaint } from '../report/paint.ts'
import type { Terminal } from '../report/terminal.ts'

export function reloader(file: string, service: Pick<Service, 'reload'>, surface: Terminal): () => Promise<void> {
  const paint = createPaint(surface.colours.out)
  let wasKept = false
  return async () => {
    const reload = await service.reload()
    const wasWrong = wasKept
    wasKept = reload.kind === 'kept' || reload.kind === 'lost'
    switch (reload.kind) {
      case 'same':
        if (wasWrong) surface.out(`${paint.green('✓')} ${file} is again what is served.\n`)
        return
      case 'swapped': {
        const changes = compareModels(reload.before, reload.after).map((change) => `  ${report(change)}\n`)
        const note = changes.length === 0 ? '; nothing that a client sees has changed' : ':'
        surface.out(`${paint.green('✓')} ${file} is served anew${note}\n${changes.join('')}`)
        return
      }
      case 'kept':
        surface.err(`${explain(reload.reason, surface.colours.err)}What was served before still is.\n`)
        return
      case 'lost':
        surface.err(`${explain(reload.reason, surface.colours.err)}Nothing is served until this is mended.\n`)
        return
      default:
        unreachable(reload)
    }
  }

  /** What breaks clients is served here all the same. */
  function report({ kind, message, cure }: Difference): string {
    if (kind !== 'breaking') return message
    return `${message}. ${paint.yellow('twain start would refuse this')}: ${cure}`
  }
}
