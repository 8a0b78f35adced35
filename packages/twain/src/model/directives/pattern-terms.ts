// Parses a regular expression into its parts and their repetition counts.

export interface PatternTerm {
  node:
    | { kind: 'char'; source: string }
    | { kind: 'start' | 'nothing' }
    | { kind: 'look' | 'group'; alternatives: PatternTerm[][] }
  min: number
  max: number
}

/** The alternatives (`|`) of the pattern; `pattern` must compile with the u flag. */
export function readPattern(pattern: string): PatternTerm[][] {
  return new PatternReader(pattern).alternatives().alternatives
}

class PatternReader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  /** The alternatives up to the end of the group. */
  alternatives(): { alternatives: PatternTerm[][] } {
    const alternatives: PatternTerm[][] = [[]]
    while (this.#at < this.#text.length && this.#text[this.#at] !== ')') {
      if (this.#take(/\|/y) !== null) alternatives.push([])
      else alternatives.at(-1)!.push(this.#term())
    }
    this.#at++
    return { alternatives }
  }

  #term(): PatternTerm {
    const node = this.#node()
    const [, sign, min, comma, max] = this.#take(/(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/y) ?? []
    if (sign !== undefined) return { node, min: sign === '+' ? 1 : 0, max: sign === '?' ? 1 : Number.POSITIVE_INFINITY }
    if (min === undefined) return { node, min: 1, max: 1 }
    const open = comma === ',' && max === ''
    return { node, min: Number(min), max: open ? Number.POSITIVE_INFINITY : Number(max || min) }
  }

  #node(): PatternTerm['node'] {
    if (this.#take(/\^/y)) return { kind: 'start' }
    if (this.#take(/\$|\\[bB]/y)) return { kind: 'nothing' }
    if (this.#take(/\(\?<?[=!]/y)) return { kind: 'look', ...this.alternatives() }
    if (this.#take(/\((?:\?(?:<[^>]*>|[a-z-]*:))?/y)) return { kind: 'group', ...this.alternatives() }
    // A back reference may have any length and characters: treat it as a run of anything.
    if (this.#take(/\\(?:[1-9]\d*|k<[^>]*>)/y)) return { kind: 'group', alternatives: [[anything]] }
    const one = /\[(?:\\.|[^\]\\])*\]|\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[dD][89abAB].{2}\\u.{4}|u.{4}|x..|c.|.)|./suy
    return { kind: 'char', source: this.#take(one)![0] }
  }

  #take(expression: RegExp): RegExpExecArray | null {
    expression.lastIndex = this.#at
    const found = expression.exec(this.#text)
    if (found !== null) this.#at += found[0].length
    return found
  }
}

const anything: PatternTerm = { node: { kind: 'char', source: '[^]' }, min: 0, max: Number.POSITIVE_INFINITY }
