// `serviceNodes`, `serviceLoad`, `serviceSlowQueries`, `serviceStatements` and `serviceLog`. The monitor decides; this file shapes the result as the request selects it.

import { ApiError, unreachable } from '#base'
import { applyShape } from '../plan/object-shape.ts'
import type { PlannedMonitorField } from '../plan/plan-monitor.ts'
import type { ExecutionContext } from './execution-context.ts'

/** The JSON text of the root field. */
export async function monitorText(
  { shows, key, shape, bindArguments }: PlannedMonitorField,
  { monitor, variables, viewer }: ExecutionContext,
): Promise<string> {
  if (monitor === null) throw new ApiError('NOT_FOUND', 'This server does not watch itself.')
  const args = bindArguments(variables)
  const place = `${key}.`
  switch (shows) {
    case 'nodes':
      return text(await monitor.nodes(viewer))
    case 'load':
      return text(monitor.load(viewer, { minutes: args.value('minutes'), of: args.value('of') }, place))
    case 'slowQueries':
      return text(await monitor.slowQueries(viewer))
    case 'statements':
      return text(await monitor.statements(viewer, args.value('request')))
    case 'log': {
      const [first, after, level, words] = ['first', 'after', 'level', 'words'].map((name) => args.value(name))
      return text(monitor.log(viewer, { first, after, level, words }, place))
    }
    default:
      return unreachable(shows)
  }

  function text(value: unknown): string {
    return JSON.stringify(applyShape(value, shape))
  }
}
