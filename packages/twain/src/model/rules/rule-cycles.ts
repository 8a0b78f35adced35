// Finds cycles: a rule whose path ends at another resource inherits the rules of that resource. A cycle of such rules could
// never be evaluated.

import { membersOf } from '../members-of.ts'
import type { Resource, Rule } from '../model.ts'
import { canBeAccount } from '../parse/account-type.ts'
import type { DeclaredModel } from '../parse/declare-types.ts'
import { wordArgument } from '../parse/directive-arguments.ts'
import type { DirectiveUse } from '../parse/read-directives.ts'

export function checkCircle(rule: Rule, use: DirectiveUse, of: Resource, declarations: DeclaredModel): void {
  for (const next of takenOver(rule, declarations)) {
    const way = wayTo(of, next, new Set(), declarations)
    if (!way) continue
    const who = wordArgument(use, 'who')!
    const through = way.length > 1 ? ` (${[of, next, ...way].map(({ name }) => name).join(' → ')})` : ''
    declarations.report.at(
      who.node,
      `"${who.text}" is circular: permission to read ${next.name} depends on permission to read ${of.name}${through}.`,
      'Let one of them end at the account type.',
    )
    return
  }
}

/** The types between `from` and `goal`, each inheriting the rules of the next; null if there is no such chain. */
function wayTo(goal: Resource, from: Resource, seen: Set<Resource>, declarations: DeclaredModel): Resource[] | null {
  if (from === goal) return []
  if (seen.has(from)) return null
  seen.add(from)
  for (const next of from.rules.flatMap((rule) => takenOver(rule, declarations))) {
    const rest = wayTo(goal, next, seen, declarations)
    if (rest) return [next, ...rest]
  }
  return null
}

/** The resources whose rules apply, if the end of the path is not the viewer: several at an interface or a union. */
function takenOver({ who }: Rule, declarations: DeclaredModel): readonly Resource[] {
  const end = who.kind === 'path' ? who.path.at(-1)?.to : undefined
  return end === undefined || canBeAccount(end, declarations) ? [] : membersOf(end)
}
