// Prints a stored type in SDL syntax: `[String!]`.

import { unreachable } from '#base'
import type { CustomResultType, StoredType } from './model.ts'

/** `nameOfValue` replaces the name of a value type, as inputs need. */
export function printType(type: StoredType, nameOfValue = (name: string): string => name): string {
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
      return `[${printType(type.of, nameOfValue)}${type.itemRequired ? '!' : ''}]`
    default:
      return unreachable(type)
  }
}

/** The result type of custom code, without the outer `!`. */
export function printCustomType(type: CustomResultType): string {
  if (type.kind === 'stored') return printType(type.type)
  return type.kind === 'row' ? type.of.name : `[${type.of.name}${type.itemRequired ? '!' : ''}]`
}
