// A line whose path ends at another resource takes over the lines of that one. Taken over in a circle, they would never
// be decided.

import type { Resource, Rule } from '../model.ts'
import { canBeAccount } from '../parse/account-type.ts'
import type { DeclaredModel } from '../parse/declare-types.ts'
import { wordArgument } from '../parse/directive-arguments.ts'
import type { DirectiveUse } from '../parse/read-directives.ts'

export function checkCircle(rule: Rule, use: DirectiveUse, of: Resource, sketch: DeclaredModel): void {
  const next = takenOver(rule, sketch)
  const way = next && wayTo(of, next, new Set(), sketch)
  if (!next || !way) return
  const who = wordArgument(use, 'who')!
  const through = way.length > 1 ? ` (${[of, next, ...way].map(({ name }) => name).join(' → ')})` : ''
  sketch.report.at(
    who.node,
    `"${who.text}" goes in a circle: who may see ${next.name} depends on who may see ${of.name}${through}.`,
    'Let one of them end at the account type.',
  )
}

/** The types from behind `from` to `goal`, each taking over the lines of the next; null when there is no such way. */
function wayTo(goal: Resource, from: Resource, seen: Set<Resource>, sketch: DeclaredModel): Resource[] | null {
  if (from === goal) return []
  if (seen.has(from)) return null
  seen.add(from)
  for (const rule of from.rules) {
    const next = takenOver(rule, sketch)
    const rest = next && wayTo(goal, next, seen, sketch)
    if (rest) return [next, ...rest]
  }
  return null
}

/** The resource whose lines count, where the viewer does not stand at the path's end itself. */
function takenOver({ who }: Rule, sketch: DeclaredModel): Resource | null {
  const end = who.kind === 'path' ? who.path.at(-1)?.to : undefined
  return end?.kind === 'resource' && !canBeAccount(end, sketch) ? end : null
}
