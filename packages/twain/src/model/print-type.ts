// A stored type as the file writes it: `[String!]`.

import { unreachable } from '#base'
import type { OwnType, StoredType } from './model.ts'

/** `nameOfValue` lets a value type go by another name, as inputs do. */
export function spellType(type: StoredType, nameOfValue = (name: string): string => name): string {
  switch (type.kind) {
    case 'scalar':
      return type.isUpload === true ? 'Upload' : type.name
    case 'custom':
      return type.scalar.name
    case 'enum':
      return type.enum.name
    case 'value':
      return nameOfValue(type.value.name)
    case 'list':
      return `[${spellType(type.of, nameOfValue)}${type.itemRequired ? '!' : ''}]`
    default:
      return unreachable(type)
  }
}

/** What own code gives, without the mark of what is required. */
export function spellOwnType(type: OwnType): string {
  if (type.kind === 'stored') return spellType(type.type)
  return type.kind === 'row' ? type.of.name : `[${type.of.name}${type.itemRequired ? '!' : ''}]`
}
