// A statement while it is compiled. Values are bound and identifiers are quoted here and nowhere else:
// a value of a request never becomes part of an SQL text.

import type { Slot } from '#plan'
import type { Encoding } from './encode.ts'

/** What is bound at one place of a statement. */
export interface Parameter {
  slot: number
  encoding: Encoding
}

export class Statement {
  readonly parameters: Parameter[] = []
  readonly #places = new Map<number, number[]>()
  #aliases = 0

  /** `?3`: the same slot in the same encoding is bound once, however often the text names it. */
  bind({ index }: Slot, encoding: Encoding): string {
    const places = this.#places.get(index) ?? []
    const known = places.find((place) => sameEncoding(this.parameters[place - 1]!.encoding, encoding))
    if (known !== undefined) return `?${known}`
    const place = this.parameters.push({ slot: index, encoding })
    this.#places.set(index, [...places, place])
    return `?${place}`
  }

  /** A name for a table in the statement that nothing else in it has. */
  alias(): string {
    return `t${++this.#aliases}`
  }
}

function sameEncoding(a: Encoding, b: Encoding): boolean {
  return a.kind === b.kind && 'type' in a === 'type' in b && (!('type' in a) || !('type' in b) || a.type === b.type)
}

/** An identifier. */
export function name(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`
}

/** A text of ours (a response key, a type's name) as an SQL string. */
export function text(constant: string): string {
  return `'${constant.replaceAll("'", "''")}'`
}

export function and(conditions: readonly (string | null)[]): string {
  const given = conditions.filter((condition) => condition !== null)
  return given.length === 0 ? 'TRUE' : given.join(' AND ')
}

/** Conditions joined by one word. Many become a tree of halves, since SQLite counts each of a flat row as a level. */
export function joined(conditions: readonly string[], word: 'AND' | 'OR'): string {
  if (conditions.length <= 8) return `(${conditions.join(` ${word} `)})`
  const half = conditions.length >> 1
  return `(${joined(conditions.slice(0, half), word)} ${word} ${joined(conditions.slice(half), word)})`
}
