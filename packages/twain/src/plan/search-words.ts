// The words of a text, by one rule for what is kept and what is searched for, on both databases (docs/reference/rest.md, R111):
//
// 1. Case and accents are folded: NFKD, the marks of Latin, Greek, Cyrillic, Hebrew, Arabic and of no script dropped, `ß` is
//    `ss`. The marks of other scripts are their vowels, and stay.
// 2. A word is a run of letters, digits and such marks; everything else only parts words.
// 3. Scripts that write without spaces have no such runs: there each character is a word, with its marks.
// 4. A word is no longer than 64 characters: what is longer is cut, here and there alike.
//
// Whoever changes the rule makes the words of all rows anew: `ruleOfWords` says which it is.

export const wordRuleVersion = 1

/** What is kept of a field that is searched, each word once: of its first characters, and so many bytes. So no write takes
 *  long by it, and PostgreSQL, which keeps a megabyte of words for a row, is never asked for more. */
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

/** Bytes for what tells the words of one field from those of another. */
const separatorBytes = 4

/** What is searched for: each whole word once, and then the last, which is a beginning, also where it was there before. */
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
  const found = isAscii(start) ? start.toLowerCase().matchAll(/[a-z0-9]+/g) : fold(start).matchAll(wordPattern)
  for (const [word] of found) yield cutToLength(word)
}

function isAscii(text: string): boolean {
  return !/[^\p{ASCII}]/u.test(text)
}

/** Characters. One may be many when it is decomposed: it counts as these. */
const maxTextLength = 100_000

function fold(text: string): string {
  const plain = text.normalize('NFKD').slice(0, maxTextLength).replace(accentPattern, '')
  // Both ways, since some letters have no other case and still are the same as others: `ẞ`, `ß`, `ſ`, `ı`.
  const folded = plain.toLowerCase().toUpperCase().toLowerCase()
  return folded.normalize('NFKD').replace(accentPattern, '').replaceAll('ς', 'σ')
}

const accentPattern =
  /[\p{M}&&[\p{Script=Inherited}\p{Script=Common}\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Hebrew}\p{Script=Arabic}]]/gv

const spaceless = ['Han', 'Hiragana', 'Katakana', 'Thai', 'Lao', 'Khmer', 'Myanmar']
  .map((script) => `\\p{Script=${script}}`)
  .join('')

const wordPattern = new RegExp(
  `[[\\p{L}\\p{N}]&&[${spaceless}]]\\p{M}*|[[\\p{L}\\p{N}]--[${spaceless}]][[\\p{L}\\p{N}\\p{M}]--[${spaceless}]]*`,
  'gv',
)

const maxWordLength = 64

/** By code points: half a character would be none. */
function cutToLength(word: string): string {
  return word.length <= maxWordLength ? word : [...word].slice(0, maxWordLength).join('')
}
