// A rule about a row as it was, with the rows that it refers to as they are.

import type { ReferenceField } from '#model'
import type { Guard, Where } from '#plan'

/** The rule, and that each row that it looks at by a reference is still there. Without that, a rule such as "not of a secret project"
 *  would hold as soon as the project is deleted. */
export function withLiveTargets(guard: Guard): Guard {
  const references = new Set<ReferenceField>()
  collect(guard, references)
  if (references.size === 0) return guard
  const isLive = [...references].map(
    (field): Where => ({
      kind: 'or',
      of: [
        { kind: 'null', target: field, is: true },
        { kind: 'through', field, where: { kind: 'live', above: [] } },
      ],
    }),
  )
  return { kind: 'and', of: [guard, ...isLive] }
}

/** The references of the row itself: what is behind them is read as it is. */
function collect(where: Where, references: Set<ReferenceField>): void {
  switch (where.kind) {
    case 'and':
    case 'or':
      for (const part of where.of) collect(part, references)
      return
    case 'not':
      collect(where.of, references)
      return
    case 'type':
      if (where.where !== undefined) collect(where.where, references)
      return
    case 'through':
      if (where.field.kind === 'reference') references.add(where.field)
      return
    default:
  }
}
