// Cuts the lines of a schema file into coloured parts. It need not understand the file: a mistaken one is shown, too.

export interface SdlToken {
  text: string
  kind: 'plain' | 'comment' | 'text' | 'directive' | 'keyword' | 'type' | 'number'
}

const keywords = new Set(
  'type interface union enum input scalar extend schema implements directive on repeatable true false null'.split(' '),
)

const pattern =
  /(?<comment>#.*)|(?<block>""")|(?<text>"(?:[^"\\]|\\.)*"?)|(?<directive>@\w+)|(?<word>[A-Za-z_]\w*)|(?<number>-?\d[\d.eE+-]*)/g

/** The tokens of each line. */
export function tokenLines(text: string): SdlToken[][] {
  let isInBlock = false
  return text.split(/\r\n|\n|\r/).map((line) => {
    const tokens: SdlToken[] = []
    let at = 0
    while (at < line.length) {
      if (isInBlock) {
        const end = line.indexOf('"""', at)
        const stop = end === -1 ? line.length : end + 3
        tokens.push({ text: line.slice(at, stop), kind: 'text' })
        isInBlock = end === -1
        at = stop
        continue
      }
      pattern.lastIndex = at
      const match = pattern.exec(line)
      if (match === null) {
        tokens.push({ text: line.slice(at), kind: 'plain' })
        break
      }
      if (match.index > at) tokens.push({ text: line.slice(at, match.index), kind: 'plain' })
      isInBlock = match.groups!.block !== undefined
      tokens.push({ text: match[0], kind: kindOf(match.groups!) })
      at = match.index + match[0].length
    }
    return tokens
  })
}

function kindOf({
  comment,
  block,
  text,
  directive,
  word,
}: Readonly<Record<string, string | undefined>>): SdlToken['kind'] {
  if (comment !== undefined) return 'comment'
  if (block !== undefined || text !== undefined) return 'text'
  if (directive !== undefined) return 'directive'
  if (word === undefined) return 'number'
  if (keywords.has(word)) return 'keyword'
  return /^[A-Z]/.test(word) ? 'type' : 'plain'
}
