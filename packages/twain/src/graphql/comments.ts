// Comments are tokens that graphql-js does not count: half a million of them in a body of 1 MiB take it longer than all
// else that a document may have. They are counted here, by one look over the text.

const hash = 0x23
const quote = 0x22
const backslash = 0x5c
const newline = 0x0a
const carriageReturn = 0x0d

/** Whether the text has more than so many comments. What stands in strings is none. */
export function hasMoreComments(text: string, most: number): boolean {
  if (text.length <= most * 2) return false // a comment has two characters at least, with the end of its line
  let count = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfString(text, at)
    if (code !== hash) continue
    if (++count > most) return true
    at = endOfLine(text, at)
  }
  return false
}

function endOfLine(text: string, from: number): number {
  let at = from
  while (at < text.length && !isLineEnd(text.charCodeAt(at))) at++
  return at
}

/** Of a block string or of a plain one; one that does not end is the parser's affair. */
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
