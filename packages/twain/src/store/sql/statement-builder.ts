// A statement while it is compiled. Values are bound and identifiers are quoted here and nowhere else:
// a value of a request never becomes part of an SQL text.

import { unreachable } from '#base'
import type { ConstantValue, Parameter } from '#plan'
import type { Dialect } from './dialect.ts'
import type { Encoding, SqlValue } from './encode.ts'

/** What is bound at one place of a statement. */
export type StatementParameter =
  | { kind: 'value'; index: number; encoding: Encoding } // a value of the question
  | { kind: 'constant'; value: SqlValue } // a value of a rule, encoded
  | { kind: 'viewer' } // the viewer's account; NULL for who has none
  | { kind: 'id' } // of the row that a write is about: known in its own transaction
  | { kind: 'column'; column: string } // of a row that is judged before it is written
  | { kind: 'list'; of: 'changes' | 'viewers' } // what is told, and to whom: a JSON array (`watch.ts`)

export class StatementBuilder {
  readonly dialect: Dialect
  readonly parameters: StatementParameter[] = []
  /** Whether rows that a filter turns away are counted (`sqlite/miss-counter.ts`). */
  readonly countsMisses: boolean
  #aliases = 0

  constructor(dialect: Dialect, counts = false) {
    this.dialect = dialect
    this.countsMisses = counts
  }

  /** `?3`, `$3::text`. */
  bind(value: Parameter | ConstantValue, encoding: Encoding): string {
    if ('constant' in value) {
      return this.#place({ kind: 'constant', value: this.dialect.encode(value.constant, encoding) }, encoding)
    }
    return this.#place({ kind: 'value', index: value.index, encoding }, encoding)
  }

  viewer(): string {
    return this.#place({ kind: 'viewer' }, { kind: 'plain' })
  }

  id(): string {
    return this.#place({ kind: 'id' }, { kind: 'plain' })
  }

  list(of: 'changes' | 'viewers'): string {
    return this.#place({ kind: 'list', of }, { kind: 'plain' })
  }

  /** Without a type of its own: see `Dialect.virtual`. */
  column(column: string): string {
    return this.#place({ kind: 'column', column }, null)
  }

  /** The same is bound once, however often the text names it. */
  #place(parameter: StatementParameter, encoding: Encoding | null): string {
    const known = this.parameters.findIndex((other) => isSame(other, parameter))
    const number = known >= 0 ? known + 1 : this.parameters.push(parameter)
    return this.dialect.placeholder(number, encoding)
  }

  /** A name for a table in the statement that nothing else in it has. */
  alias(): string {
    return `t${++this.#aliases}`
  }
}

function isSame(a: StatementParameter, b: StatementParameter): boolean {
  switch (a.kind) {
    case 'value':
      return b.kind === 'value' && a.index === b.index && sameEncoding(a.encoding, b.encoding)
    case 'constant':
      return b.kind === 'constant' && a.value === b.value
    case 'column':
      return b.kind === 'column' && a.column === b.column
    case 'list':
      return b.kind === 'list' && a.of === b.of
    case 'viewer':
    case 'id':
      return a.kind === b.kind
    default:
      return unreachable(a)
  }
}

function sameEncoding(a: Encoding, b: Encoding): boolean {
  return a.kind === b.kind && 'type' in a === 'type' in b && (!('type' in a) || !('type' in b) || a.type === b.type)
}

export function and(conditions: readonly (string | null)[]): string {
  const given = conditions.filter((condition) => condition !== null)
  return given.length === 0 ? 'TRUE' : given.join(' AND ')
}

/** Conditions joined by one word. Many become a tree of halves, since SQLite counts each of a flat row as a level. */
export function joined(conditions: readonly string[], word: 'AND' | 'OR' | '+'): string {
  if (conditions.length <= 8) return `(${conditions.join(` ${word} `)})`
  const half = conditions.length >> 1
  return `(${joined(conditions.slice(0, half), word)} ${word} ${joined(conditions.slice(half), word)})`
}
