// The order of texts: by their keys, then by their characters. The key is the folded form of the beginning of a text, so
// that `anna` stands between `Ångström` and `Bob` (docs/internals/decisions/0074-order-of-texts.md).
//
// 1. Keys and texts are compared by code point.
// 2. The key depends on the text alone, and is the same on both databases: the columns of keys can be copied.

import { foldText } from './fold-text.ts'

/** In code points: of the text, and of the key. */
export const maxKeyCharacters = 32

export function textKey(text: string): string {
  return beginning(foldText(beginning(text)))
}

function beginning(text: string): string {
  if (text.length <= maxKeyCharacters) return text
  let end = 0
  for (let count = 0; count < maxKeyCharacters && end < text.length; count++) {
    end += text.codePointAt(end)! > 0xffff ? 2 : 1
  }
  return text.slice(0, end)
}
