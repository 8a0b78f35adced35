// The GraphQL selection of a resource's default REST representation, and its answer as REST represents it: references as ids.

import { unreachable } from '../../packages/twain/src/base/index.ts'
import type { Resource, StoredType, ValueType } from '../../packages/twain/src/model/index.ts'

export function selectionOf(resource: Resource): string {
  const parts: string[] = []
  for (const field of resource.fields.values()) {
    if (field.kind === 'stored') parts.push(`${field.name}${inside(field.type)}`)
    else if (field.kind === 'reference' || field.kind === 'inverse')
      parts.push(`${field.name} { __typename ${idsOf(field.to)} }`)
  }
  return parts.join(' ')
}

export function idsOf(target: { kind: string; form?: string; members?: Resource[] }): string {
  if (target.form !== 'union') return 'id'
  return target.members!.map((member) => `... on ${member.name} { id }`).join(' ')
}

export function asRest(resource: Resource, row: unknown): Record<string, unknown> {
  const plain = { ...(row as Record<string, unknown>) }
  for (const field of resource.fields.values()) {
    if (field.kind !== 'reference' && field.kind !== 'inverse') continue
    const target = plain[field.name] as { __typename: string; id: string } | null
    plain[field.name] = target && (field.to.kind === 'abstract' ? `${target.__typename}:${target.id}` : target.id)
  }
  return plain
}

function inside(type: StoredType): string {
  switch (type.kind) {
    case 'value':
      return ` { ${membersOf(type.value)} }`
    case 'list':
      return inside(type.of)
    case 'scalar':
    case 'custom':
    case 'enum':
      return ''
    default:
      return unreachable(type)
  }
}

function membersOf(value: ValueType): string {
  return Array.from(value.fields.values(), (field) => `${field.name}${inside(field.type)}`).join(' ')
}
