// A query parameter's text as the JSON value that its field's type wants. What does not fit is passed on as the text that it
// is, so that `check` reports it at its place.

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

/** What is not JSON is the text that it is. */
export function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
