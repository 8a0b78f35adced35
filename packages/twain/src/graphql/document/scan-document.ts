// Scans the text of a document before graphql-js parses it, for three things that graphql-js does not limit:
//
// 1. Comments: its token limit does not count them. Half a million in a body of 1 MiB take longer than anything else.
// 2. Nesting: its parser recurses at each bracket. A thousand nested lists overflow the stack.
// 3. Long names: it compares an unknown name with all known names, letter by letter.

const quote = 0x22
const backslash = 0x5c
const hash = 0x23
const newline = 0x0a
const carriageReturn = 0x0d

/** More than the limits of queries, filters and JSON allow. */
export const maxDocumentLevels = 200

export const maxNameLength = 1000

/** Which limit the text exceeds, and at which offset. */
export interface DocumentExcess {
  kind: 'comments' | 'levels' | 'letters'
  at: number
}

/** `maxComments` 0 means no limit. The scan skips strings. */
export function findExcess(text: string, maxComments: number): DocumentExcess | null {
  const marks = /["#()[\]{}]/g
  let comments = 0
  let levels = 0
  for (let from = 0; ; from = marks.lastIndex) {
    const at = marks.exec(text)?.index ?? text.length
    const long = at - from > maxNameLength ? text.slice(from, at).search(longName) : -1
    if (long >= 0) return { kind: 'letters', at: from + long }
    if (at === text.length) return null
    const code = text.charCodeAt(at)
    if (code === quote) marks.lastIndex = endOfString(text, at) + 1
    else if (code === hash) {
      if (++comments > maxComments && maxComments > 0) return { kind: 'comments', at }
      marks.lastIndex = endOfLine(text, at)
    } else if (isOpening(code)) {
      if (++levels > maxDocumentLevels) return { kind: 'levels', at }
    } else levels--
  }
}

const longName = new RegExp(`\\w{${maxNameLength + 1}}`)

function isOpening(code: number): boolean {
  return code === 0x7b || code === 0x5b || code === 0x28 // { [ (
}

function endOfLine(text: string, from: number): number {
  let at = from
  while (at < text.length && !isLineEnd(text.charCodeAt(at))) at++
  return at
}

/** The end of a block string or a plain string. The parser reports an unterminated one. */
function endOfString(text: string, from: number): number {
  if (!text.startsWith('"""', from)) return endOfPlainString(text, from)
  let end = text.indexOf('"""', from + 3)
  while (end > 0 && text.charCodeAt(end - 1) === backslash) end = text.indexOf('"""', end + 3)
  return end < 0 ? text.length : end + 2
}

function endOfPlainString(text: string, from: number): number {
  let at = from + 1
  while (at < text.length && text.charCodeAt(at) !== quote && !isLineEnd(text.charCodeAt(at))) {
    at += text.charCodeAt(at) === backslash ? 2 : 1
  }
  return at
}

function isLineEnd(code: number): boolean {
  return code === newline || code === carriageReturn
}
