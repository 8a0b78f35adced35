// The tokens of a GraphQL document, with comments. Also of JSON, whose tokens are among them.

export interface Token {
  kind: 'mark' | 'name' | 'number' | 'string' | 'comment' | 'wrong' | 'end'
  text: string
  from: number
  to: number
}

const pattern =
  /(?<comment>#[^\n\r]*)|(?<mark>\.{3}|[!$&():=@[\]{|}])|(?<name>[_A-Za-z]\w*)|(?<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(?<string>"""(?:\\"""|[\s\S])*?"""|"(?!"")(?:\\.|[^"\\\n\r])*")|(?<wrong>"[^\n\r]*|[^\s,\uFEFF])/gu

/** Of the whole text, without an end token. */
export function tokensOf(text: string): Token[] {
  return Array.from(text.matchAll(pattern), (match) => {
    const [kind] = Object.entries(match.groups!).find(([, found]) => found !== undefined)!
    return { kind: kind as Token['kind'], text: match[0], from: match.index, to: match.index + match[0].length }
  })
}
