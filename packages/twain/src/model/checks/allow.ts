// `@allow`: a way in that leads somewhere. What the rules mean is for the floor that keeps them.

import { Kind } from 'graphql'
import { findUse, wordArgument } from '../directives/arguments.ts'
import type { DirectiveUse } from '../directives/read-directives.ts'
import type { Field, Resource } from '../model.ts'
import type { Sketch } from '../reading/sketch.ts'
import { checkFilter } from './filter.ts'
import type { Standing } from './standing.ts'
import { checkWho } from './who.ts'

export function checkAllow(use: DirectiveUse, { type: declared, field }: Standing, sketch: Sketch): void {
  const { report } = sketch
  const type = sketch.types.get(declared.name)
  if (type?.kind !== 'resource') {
    const hint = 'Write it on the resources that hold it.'
    report.at(use.node, `${declared.name} has no rows of its own, so there is nothing to allow.`, hint)
    return
  }
  const who = wordArgument(use, 'who')
  const end = who && checkWho(who, type, sketch)
  // A line on a field asks the rules of its type nothing, so only the types' own lines can go in circles.
  if (who && end && !field && leadsBack(end, type, sketch, new Set())) {
    report.at(
      who.node,
      `"${who.text}" goes in a circle: who may see ${end.name} depends on who may see ${type.name}.`,
      'Let one of the two end at the account type.',
    )
  }
  const role = wordArgument(use, 'role')
  if (role && role.text.trim() === '') report.at(role.node, 'A role has a name.', 'Write: role: "admin".')
  const to = use.args.get('to')
  if (to?.kind === Kind.LIST && to.values.length === 0) {
    report.at(to, 'This line allows nothing.', 'Name what it allows: to: [READ], or leave it out for all.')
  }
  const where = use.args.get('where')
  if (where) checkFilter(where, type, sketch)
}

/** Whether the rules of a type ask, through other types, for those of `goal`. */
function leadsBack(from: Resource, goal: Resource, sketch: Sketch, seen: Set<Resource>): boolean {
  if (from === goal) return true
  if (seen.has(from)) return false
  seen.add(from)
  return sketch.declared(from).uses.some((use) => {
    if (use.name !== 'allow') return false
    const end = endOf(use, from, sketch)
    return end !== null && leadsBack(end, goal, sketch, seen)
  })
}

/** Where the path of a line ends, as far as it goes; its mistakes are reported where it stands. */
function endOf(use: DirectiveUse, from: Resource, sketch: Sketch): Resource | null {
  let at: Resource | null = from
  for (const name of wordArgument(use, 'who')?.text.split('.') ?? []) {
    const field: Field | undefined = at?.fields.get(name)
    at = field && field.kind !== 'stored' && field.to.kind === 'resource' ? field.to : null
  }
  return at && at !== from && !findUse(sketch.declared(at).uses, 'account') ? at : null
}
