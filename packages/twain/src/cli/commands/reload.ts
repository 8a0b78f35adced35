// Reloads the service of `twain dev`, and prints the result.

import { unreachable } from '#base'
import type { Service } from '#main'
import { compareModels, type Difference } from '#model/compare'
import { explain } from '../report/explain-error.ts'
import { createPaint } from '../report/paint.ts'
import type { Terminal } from '../report/terminal.ts'
import { roleLines } from '../report/warnings.ts'

export function reloader(file: string, service: Pick<Service, 'reload'>, surface: Terminal): () => Promise<void> {
  const paint = createPaint(surface.colours.out)
  let hasFailed = false
  return async () => {
    const reload = await service.reload()
    const hadFailed = hasFailed
    hasFailed = reload.kind === 'rejected' || reload.kind === 'lost'
    switch (reload.kind) {
      case 'same':
        if (hadFailed) surface.out(`${paint.green('✓')} ${file} is valid again and equals the served schema.\n`)
        return
      case 'swapped': {
        const changes = compareModels(reload.before, reload.after).map((change) => `  ${report(change)}\n`)
        const note = changes.length === 0 ? '; no change for clients' : ':'
        const warnings = roleLines(reload.after).map((line) => `  ${paint.yellow('role')}  ${line}\n`)
        surface.out(`${paint.green('✓')} ${file} reloaded${note}\n${changes.join('')}${warnings.join('')}`)
        return
      }
      case 'rejected':
        surface.err(`${explain(reload.reason, surface.colours.err)}The previous schema stays in service.\n`)
        return
      case 'lost':
        surface.err(
          `${explain(reload.reason, surface.colours.err)}Requests are answered with 503 until you fix this.\n`,
        )
        return
      default:
        unreachable(reload)
    }
  }

  /** `twain dev` applies breaking changes too, but marks them. */
  function report({ kind, message, hint }: Difference): string {
    if (kind !== 'breaking') return message
    return `${message}. ${paint.yellow('twain start would refuse this')}: ${hint}`
  }
}
