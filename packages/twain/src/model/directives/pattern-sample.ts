// Generates a short text that a pattern matches, for examples. Lookarounds and back references are ignored: the result is
// tested at the end, and there is none if it does not match.

import { matchesPattern } from '#base'
import { type PatternTerm, readPattern } from './pattern-terms.ts'

/** At least `minLength` characters long if the pattern allows it; null if no text is found. */
export function patternExample(pattern: string, minLength = 0): string | null {
  for (let surplus = 0; surplus <= Math.min(minLength, maxSurplus); surplus++) {
    const text = oneOf(readPattern(pattern), surplus)
    if ([...text].length >= minLength) return matchesPattern(text, pattern) ? text : null
  }
  return null
}

const maxSurplus = 64

/** Takes the first alternative, each part as often as it must occur, and `surplus` times more where it may. */
function oneOf(alternatives: readonly PatternTerm[][], surplus: number): string {
  return (alternatives[0] ?? []).map((term) => partOf(term, surplus)).join('')
}

function partOf({ node, min, max }: PatternTerm, surplus: number): string {
  const times = Math.min(max, min + surplus)
  switch (node.kind) {
    case 'start':
    case 'nothing':
    case 'look':
      return ''
    case 'char':
      return characterOf(node.source).repeat(times)
    case 'group':
      return oneOf(node.alternatives, surplus).repeat(times)
  }
}

const likely = 'abcxyzABC0123456789-_. @/:+,'

function characterOf(source: string): string {
  const expression = new RegExp(`^${source}$`, 'u')
  for (const character of likely) if (expression.test(character)) return character
  for (let code = 33; code < 0x3000; code++) {
    const character = String.fromCharCode(code)
    if (expression.test(character)) return character
  }
  return ''
}
