// Documents and variables without passwords, tokens and codes, for what the browser keeps.

import { tokensOf } from './tokens.ts'

const secretName = /password|secret|token|captcha|^code$|^key$/i

/** With `"…"` for each secret. */
export function withoutSecrets(document: string): string {
  const tokens = tokensOf(document)
  let text = ''
  let copied = 0
  for (const [index, token] of tokens.entries()) {
    const isValue = token.kind === 'string' && tokens[index - 1]?.text === ':'
    if (!isValue || !secretName.test(tokens[index - 2]!.text)) continue
    text += `${document.slice(copied, token.from)}"…"`
    copied = token.to
  }
  return text + document.slice(copied)
}

/** Text that is no JSON is left out. */
export function variablesWithoutSecrets(json: string): string {
  if (json.trim() === '') return ''
  try {
    const values = JSON.parse(json, (name, value) => (secretName.test(name) && value !== null ? '…' : value)) as unknown
    return JSON.stringify(values, null, 2)
  } catch {
    return ''
  }
}
