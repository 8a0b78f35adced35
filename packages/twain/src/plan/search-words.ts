// The words of a text: one rule for stored texts and for searches, on both databases (docs/reference/rest.md, R111).
//
// 1. Case and accents are folded (`base/text/folding-rule.ts`).
// 2. A word is a run of letters, digits and such marks; everything else separates words.
// 3. Scripts without spaces have no such runs: each character, with its marks, is a word.
// 4. A word has at most 64 characters: longer words are cut, in texts and in searches.
//
// A change of the rule must increase `wordRuleVersion`: the stores then rebuild the words of all rows.

import { foldByRule } from '#base'

export const wordRuleVersion = 1

/** The distinct words of a searched field, up to `maxBytes`. The bound keeps writes fast, and below the megabyte of words that
 *  PostgreSQL stores for a row. */
export function storedWords(text: string, maxBytes: number): string[] {
  const words = new Set<string>()
  let left = maxBytes
  for (const word of eachWord(text)) {
    if (words.has(word)) continue
    left -= Buffer.byteLength(word) + separatorBytes
    if (left < 0) break
    words.add(word)
  }
  return [...words]
}

/** The prefix that separates the words of one field from those of another. */
const separatorBytes = 4

/** The words of a search: the distinct whole words, and then the last word, which is a prefix. */
export function searchedWords(text: string): string[] {
  const words = [...eachWord(text)]
  const last = words.pop()
  return last === undefined ? [] : [...new Set(words), last]
}

export function hasWords(text: unknown): boolean {
  return typeof text === 'string' && /[\p{L}\p{N}]/u.test(text)
}

function* eachWord(text: string): Generator<string> {
  const start = text.slice(0, maxTextLength)
  const found = isAscii(start)
    ? start.toLowerCase().matchAll(/[a-z0-9]+/g)
    : foldByRule(start, maxTextLength).matchAll(wordPattern)
  for (const [word] of found) yield cutToLength(word)
}

function isAscii(text: string): boolean {
  return !/[^\p{ASCII}]/u.test(text)
}

/** In characters, before and after decomposition. */
const maxTextLength = 100_000

const spaceless = ['Han', 'Hiragana', 'Katakana', 'Thai', 'Lao', 'Khmer', 'Myanmar']
  .map((script) => `\\p{Script=${script}}`)
  .join('')

const wordPattern = new RegExp(
  `[[\\p{L}\\p{N}]&&[${spaceless}]]\\p{M}*|[[\\p{L}\\p{N}]--[${spaceless}]][[\\p{L}\\p{N}\\p{M}]--[${spaceless}]]*`,
  'gv',
)

const maxWordLength = 64

/** Cuts by code points, never inside a surrogate pair. */
function cutToLength(word: string): string {
  return word.length <= maxWordLength ? word : [...word].slice(0, maxWordLength).join('')
}
