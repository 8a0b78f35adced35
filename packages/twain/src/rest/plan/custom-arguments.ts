// Arguments of computed fields inside `fields`: `excerpt(length:50,mark:NONE)` (docs/reference/rest.md, R116). Words and numbers
// are written plainly, other values as JSON.

import { didYouMean } from '#base'
import { type Argument, jsonOrText, type StoredType } from '#model'
import type { PlanBuilder } from '#plan/build'
import { textToValue } from '../request/text-value.ts'

export function parseArguments(
  text: string | null,
  field: { name: string; args: readonly Pick<Argument, 'name' | 'type'>[] },
  builder: PlanBuilder,
  path: string,
): Map<string, unknown> {
  const values = new Map<string, unknown>()
  if (text === null || text.trim() === '') return values
  for (const part of splitOutsideBrackets(text, ',')) {
    const colon = part.indexOf(':')
    const name = part.slice(0, colon < 0 ? undefined : colon).trim()
    const argument = field.args.find((one) => one.name === name)
    if (colon < 0) builder.problem(path, 'TYPE', 'needs its arguments as name:value, separated by commas.')
    else if (argument === undefined) {
      const near = didYouMean(
        name,
        field.args.map((one) => one.name),
      )
      builder.problem(`${path}.${name}`, 'UNKNOWN', `${field.name} takes no "${name}".${near}`)
    } else values.set(name, argumentValue(argument.type, part.slice(colon + 1).trim()))
  }
  return values
}

function argumentValue(type: StoredType, text: string): unknown {
  if (text === 'null') return null
  return /^["[{]/.test(text) ? jsonOrText(text) : textToValue(type, text)
}

/** Splits `excerpt(length:50)` into the name and the text between the parentheses. */
export function parseStep(text: string): { name: string; argumentsText: string | null } {
  const open = text.indexOf('(')
  if (open < 0 || !text.endsWith(')')) return { name: text, argumentsText: null }
  return { name: text.slice(0, open), argumentsText: text.slice(open + 1, -1) }
}

/** Splits at each separator that is not inside brackets or quotes. */
export function splitOutsideBrackets(text: string, separator: ',' | '.' | ':'): string[] {
  if (!text.includes('(')) return text.split(separator)
  const parts: string[] = []
  let depth = 0
  let quoted = false
  let start = 0
  for (let at = 0; at < text.length; at++) {
    const letter = text[at]!
    if (letter === '"' && text[at - 1] !== '\\') quoted = !quoted
    if (quoted) continue
    if ('([{'.includes(letter)) depth++
    else if (')]}'.includes(letter)) depth--
    else if (letter === separator && depth === 0) {
      parts.push(text.slice(start, at))
      start = at + 1
    }
  }
  return [...parts, text.slice(start)]
}
