// Which references may stand against deleting a row: those to it that RESTRICT, and those to what would go with it.

import type { ReferenceField, Resource } from '#model'

export function restricting(of: Resource, resources: readonly Resource[]): ReferenceField[] {
  const going = new Set([of])
  const found = new Set<ReferenceField>()
  // A Set's iteration goes on over what is added meanwhile.
  for (const type of going) {
    for (const field of resources.flatMap(({ fields }) => [...fields.values()])) {
      if (field.kind !== 'reference' || !leadsTo(field, type)) continue
      if (field.onDelete === 'CASCADE') going.add(field.owner)
      if (field.onDelete === 'RESTRICT') found.add(field)
    }
  }
  return [...found]
}

function leadsTo({ to }: ReferenceField, type: Resource): boolean {
  return to.kind === 'resource' ? to === type : to.members.includes(type)
}
