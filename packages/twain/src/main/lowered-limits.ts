// Warns of limits that are lower than those that were last served: a request that a client makes today may be refused then.

import type { Log } from '#base'
import type { Limits } from '#plan'
import type { ServedLimits } from '#store'

/** The limits that refuse what a client sends. */
const refusing = [
  'depth',
  'cost',
  'page',
  'bodyBytes',
  'importBytes',
  'uploadBytes',
  'batch',
  'transaction',
  'bulk',
  'documentTokens',
] as const satisfies readonly (keyof Limits)[]

export async function warnOfLoweredLimits(limits: Limits, served: ServedLimits, log: Log): Promise<void> {
  const now = new Map(refusing.map((name) => [name as string, limits[name]]))
  const last = await served.last()
  const lowered = [...now].flatMap(([name, value]) => {
    const before = last.get(name)
    return before === undefined || !isLower(value, before) ? [] : [`limits.${name} from ${shown(before)} to ${value}`]
  })
  if (lowered.length > 0)
    log.warn(
      { limits: lowered.join(', ') },
      'limits are lower than before: clients may be refused what they send today',
    )
  if ([...now].some(([name, value]) => last.get(name) !== value)) await served.save(now)
}

/** 0 is no limit. */
function isLower(value: number, before: number): boolean {
  return value !== 0 && (before === 0 || value < before)
}

function shown(value: number): string {
  return value === 0 ? 'none' : String(value)
}
