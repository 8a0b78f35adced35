// The words of a search in the language of each database's index. They are runs of letters and digits, so nothing in them can
// be taken for an operator or end a quotation.

/** FTS5: the columns that are searched are a filter around all words. `isOpen`: the last word is only a beginning. */
export function ftsQuery(words: readonly string[], columns: readonly number[], isOpen = true): string {
  const terms = words.map((word, index) => `"${word}"${isOpen && index === words.length - 1 ? ' *' : ''}`)
  return `{${columns.map(ftsColumn).join(' ')}} : (${terms.join(' AND ')})`
}

export function ftsColumn(words: number): string {
  return `w${words}`
}

/** A tsvector has no columns: each word carries the number of its own. */
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

/** Different guards of searched fields, up to which every choice of them is a look into the index (`compile/search.ts`). */
export const maxGuardsByChoice = 4
