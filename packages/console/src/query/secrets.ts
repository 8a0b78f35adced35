// Documents and variables without passwords, tokens and codes, for what the browser keeps.

import { tokensOf } from './tokens.ts'

/** The last words of a name: `refresh token`, `password hash`. A `secretary`, a `token count` and a `password hint` are none. */
const secretWords = /(password|secret|token|captcha|api ?key)s?( ?(\d|keys?|values?|hash|again|confirmation|repeat))*$/

/** Of a row. A `code` or a `key` of a row is none. */
export function isSecretField(name: string): boolean {
  return secretWords.test(name.replaceAll(/([a-z\d])(?=[A-Z])|[_-]/g, '$1 ').toLowerCase())
}

/** Where a `code` or a `key` is one. */
export function isSecretName(name: string): boolean {
  return isSecretField(name) || /^(code|key)$/i.test(name)
}

/** With `"…"` for each secret: the text of an argument, an input field or a variable's default, also in a list or an object of it. */
export function withoutSecrets(document: string): string {
  let text = ''
  let copied = 0
  let last = ''
  /** One for each open bracket. `isInside`: of a secret; `isSecret`: the value of the last name is one. */
  const levels = [{ isInside: false, isSecret: false }]
  for (const { kind, text: token, from, to } of tokensOf(document)) {
    const level = levels.at(-1)!
    if (kind === 'comment') {
      text += `${document.slice(copied, from)}#${withoutSecrets(token.slice(1))}`
      copied = to
      continue
    }
    if (level.isSecret && token.startsWith('"')) {
      text += `${document.slice(copied, from)}"…"`
      // Without its end, a block string is the rest of the document.
      if (kind === 'wrong' && token.startsWith('"""')) return text
      copied = to
    } else if (token === '(') levels.push({ isInside: false, isSecret: false })
    else if (token === '[' || token === '{') levels.push({ isInside: level.isSecret, isSecret: level.isSecret })
    else if (/^[)\]}]$/.test(token) && levels.length > 1) levels.pop()
    else if (token === ':') level.isSecret = level.isInside || isSecretName(last)
    last = token
  }
  return text + document.slice(copied)
}

/** Text that is no JSON is left out. */
export function variablesWithoutSecrets(json: string): string {
  if (json.trim() === '') return ''
  try {
    const values = JSON.parse(json, (name, value) => (isSecretName(name) && value !== null ? '…' : value)) as unknown
    return JSON.stringify(values, null, 2)
  } catch {
    return ''
  }
}
