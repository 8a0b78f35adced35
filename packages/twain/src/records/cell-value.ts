// The value of a CSV cell, by the type of its field. Text that is no such value stays text, and the check of the row reports it.

import { unreachable } from '#base'
import { type Field, jsonOrText, type StoredType, scalarOf } from '#model'

/** The value of one cell, for the field at this path (`size.width`). */
export function cellValue(field: Field | undefined, path: readonly string[], text: string): unknown {
  if (field === undefined) return text
  if (field.kind === 'links') return text.trim().startsWith('[') ? jsonOrText(text) : splitIds(text)
  if (field.kind === 'many') return jsonOrText(text)
  if (field.kind !== 'stored') return text
  let { type } = field
  for (const name of path) if (type.kind === 'value') type = type.value.fields.get(name)?.type ?? type
  return typedValue(type, text)
}

function typedValue(type: StoredType, text: string): unknown {
  switch (type.kind) {
    case 'scalar':
      // Spreadsheets write TRUE and FALSE.
      return scalarOf(type.name).fromText(type.name === 'Boolean' ? text.toLowerCase() : text)
    case 'enum':
      return text
    case 'custom':
    case 'value':
    case 'list':
      return jsonOrText(text)
    default:
      return unreachable(type)
  }
}

function splitIds(text: string): string[] {
  return text
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '')
}
