// Converts the text of a query parameter to the JSON value of its field's type. Text of another type stays text, and the check
// of the plan reports it with its path.

import { unreachable } from '#base'
import { jsonOrText, type StoredType, scalarOf } from '#model'

export function textToValue(type: StoredType, text: string): unknown {
  switch (type.kind) {
    case 'scalar':
      return scalarOf(type.name).fromText(text)
    case 'custom':
    case 'value':
    case 'list':
      return jsonOrText(text)
    case 'enum':
      return text
    default:
      return unreachable(type)
  }
}
