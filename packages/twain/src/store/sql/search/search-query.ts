// The words of a search in the query language of each database. Words are runs of letters and digits, so no word can act as
// an operator or end a quotation.

/** An FTS5 query: the searched columns are a filter around all words. `isOpen`: the last word is a prefix. */
export function ftsQuery(words: readonly string[], columns: readonly number[], isOpen = true): string {
  const terms = words.map((word, index) => `"${word}"${isOpen && index === words.length - 1 ? ' *' : ''}`)
  return `{${columns.map(ftsColumn).join(' ')}} : (${terms.join(' AND ')})`
}

export function ftsColumn(words: number): string {
  return `w${words}`
}

/** A tsvector has no columns: each word carries the number of its column. */
export function tsQuery(words: readonly string[], columns: readonly number[], isOpen = true): string {
  const terms = words.map((word, index) => {
    const end = isOpen && index === words.length - 1 ? ':*' : ''
    return `(${columns.map((column) => `'${lexeme(word, column)}'${end}`).join(' | ')})`
  })
  return terms.join(' & ')
}

export function lexeme(word: string, words: number): string {
  return `${words}/${word}`
}

/** Up to so many different guards of searched fields, every subset of them is one lookup in the index (`search.ts`). */
export const maxGuardsByChoice = 4
