// Converts the text of a query parameter to the JSON value of its field's type. Text of another type stays text, and the check
// of the plan reports it with its path.

import { unreachable } from '#base'
import type { StoredType } from '#model'

const numberForm = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/

export function textToValue(type: StoredType, text: string): unknown {
  switch (type.kind) {
    case 'scalar':
      if (type.name === 'Int' || type.name === 'Float') return numberForm.test(text) ? Number(text) : text
      if (type.name === 'Boolean') return text === 'true' ? true : text === 'false' ? false : text
      if (type.name === 'JSON') return jsonOrText(text)
      return text
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

/** Text that is not JSON stays text. */
export function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
