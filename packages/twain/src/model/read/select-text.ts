// Whether a text of the schema file is one SELECT that can stand in parentheses: the database checks the rest.

/** Strings, quoted names, dollar quotes and comments, which may contain anything. */
const quoted = /'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]|\$(\w*)\$.*?\$\1\$|--[^\n]*|\/\*.*?\*\//gs

/** Null: it may be one. */
export function selectMistake(text: string): string | null {
  const plain = text.replace(quoted, ' ').trim().replace(/;$/, '')
  if (plain.trim() === '') return 'it is empty'
  if (!/^(?:select|with|values)\b/i.test(plain)) return `it begins with "${plain.split(/\s/)[0]}"`
  if (plain.includes(';')) return 'it has several statements'
  return isBalanced(plain) ? null : 'its parentheses do not match'
}

function isBalanced(text: string): boolean {
  let depth = 0
  for (const [bracket] of text.matchAll(/[()]/g)) {
    depth += bracket === '(' ? 1 : -1
    if (depth < 0) return false
  }
  return depth === 0
}
