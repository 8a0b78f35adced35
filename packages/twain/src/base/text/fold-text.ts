// The folded form of a text: `ieq`, `icontains`, `istartsWith` and `iendsWith` compare it. `Ångström` and `ANGSTROM` have the
// same.
//
// 1. Each character is folded by itself, by a table of our own: the rule of `folding-rule.ts` in Unicode 17. So both databases
//    fold alike, whatever Unicode their libraries know (docs/internals/decisions/0062-folded-text.md).
// 2. The folded form of a folded text is the text itself. So characters can be replaced one after the other, in any order.
// 3. Another table needs another `foldingVersion`: PostgreSQL has a function for each version.

import { inflateRawSync } from 'node:zlib'
import { packedFolding } from './folding-table.ts'

export const foldingVersion = 1

export function foldText(text: string): string {
  if (isAscii(text)) return text.toLowerCase()
  const forms = formsByCode()
  let folded = ''
  let start = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const length = code >= 0xd800 && code <= 0xdbff ? 2 : 1
    const form = length === 1 ? forms[code] : foldedCharacters().get(text.slice(at, at + 2))
    if (form !== undefined) {
      folded += text.slice(start, at) + form
      start = at + length
    }
    at += length - 1
  }
  return folded + text.slice(start)
}

function isAscii(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are ASCII
  return !/[^\x00-\x7f]/.test(text)
}

let forms: readonly (string | undefined)[] | null = null

/** By code, of all characters of one UTF-16 unit: an array is several times faster than the map. */
function formsByCode(): readonly (string | undefined)[] {
  if (forms !== null) return forms
  const all: (string | undefined)[] = Array.from({ length: 0x10000 }, () => undefined)
  for (let code = 65; code <= 90; code++) all[code] = String.fromCharCode(code + 32)
  for (let code: number = hangul.syllables; code <= hangul.last; code++) all[code] = lettersOfSyllable(code)
  for (const [character, form] of foldedCharacters()) {
    if (character.length === 1) all[character.charCodeAt(0)] = form
  }
  forms = all
  return all
}

let known: ReadonlyMap<string, string> | null = null

/** The characters beyond ASCII that are not their own folded form, except the syllables of Hangul, which a formula folds. */
export function foldedCharacters(): ReadonlyMap<string, string> {
  known ??= unpackFolding(packedFolding)
  return known
}

/** The compressed text has an entry for each character, in their order: how far it is from the one before, and how far each
 *  character of its folded form is from the one before, in base 36: `8y 2p;2 -1;`. */
function unpackFolding(packed: string): Map<string, string> {
  const table = new Map<string, string>()
  let [character, folded] = [0, 0]
  for (const entry of inflateRawSync(Buffer.from(packed, 'base64')).toString().split(';')) {
    const [gap, ...gaps] = entry.split(' ').map((number) => Number.parseInt(number, 36))
    character += gap!
    const form = gaps.map((next) => {
      folded += next
      return folded
    })
    table.set(String.fromCodePoint(character), String.fromCodePoint(...form))
  }
  return table
}

/** Where Unicode has the syllables of Hangul, and the letters that they consist of (The Unicode Standard, 3.12). */
export const hangul = { syllables: 0xac00, last: 0xd7a3, initial: 0x1100, medial: 0x1161, final: 0x11a7 } as const
export const hangulFinals = 28
export const hangulBlock = 21 * hangulFinals

function lettersOfSyllable(code: number): string {
  const index = code - hangul.syllables
  const final = index % hangulFinals
  return String.fromCharCode(
    hangul.initial + Math.floor(index / hangulBlock),
    hangul.medial + Math.floor((index % hangulBlock) / hangulFinals),
    ...(final === 0 ? [] : [hangul.final + final]),
  )
}
