// A statement while it is compiled. Values are bound here and nowhere else: a value of a request never becomes part of an SQL
// text. (`tables/quote.ts` quotes identifiers.)

import { unreachable } from '#base'
import { isSameClaim } from '#model'
import type { ClaimValue, ComparedValue, PageRead } from '#plan'
import type { Dialect } from './dialect.ts'
import type { Encoding, SqlValue } from './encode.ts'

/** What one placeholder of a statement is bound to. */
export type StatementParameter =
  | { kind: 'value'; index: number; encoding: Encoding } // a value of the bound plan
  | { kind: 'constant'; value: SqlValue } // a value of a rule, encoded
  | { kind: 'viewer' } // the viewer's account; NULL for a viewer without one
  | { kind: 'token' } // the id of the viewer's session, token or key; NULL without one
  | { kind: 'claim'; value: ClaimValue; encoding: Encoding } // a claim of the viewer's token
  | { kind: 'id' } // of the row that a write changes: known inside its transaction
  | { kind: 'column'; column: string } // of a row that is checked before it is written
  | { kind: 'list'; of: 'changes' | 'viewers' } // a JSON array (`subscription.ts`)

export class StatementBuilder {
  readonly dialect: Dialect
  readonly parameters: StatementParameter[] = []
  /** Whether filters count the rows that they reject (`sqlite/read/read-cost.ts`). */
  readonly countsMisses: boolean
  /** The page that begins at the row behind its offset, found by an index (`rows.ts`). */
  readonly deepPage: PageRead | null
  #aliases = 0
  /** Rows that several parts of the statement read. */
  readonly #shared = new Map<object, { name: string; select: string }>()

  constructor(dialect: Dialect, counts = false, deepPage: PageRead | null = null) {
    this.dialect = dialect
    this.countsMisses = counts
    this.deepPage = deepPage
  }

  /** `?3`, `$3::text`. */
  bind(value: ComparedValue, encoding: Encoding): string {
    if ('claim' in value) return this.#place({ kind: 'claim', value, encoding }, encoding)
    if ('constant' in value) {
      return this.#place({ kind: 'constant', value: this.dialect.encode(value.constant, encoding) }, encoding)
    }
    return this.#place({ kind: 'value', index: value.index, encoding }, encoding)
  }

  viewer(): string {
    return this.#place({ kind: 'viewer' }, { kind: 'plain' })
  }

  token(): string {
    return this.#place({ kind: 'token' }, { kind: 'plain' })
  }

  id(): string {
    return this.#place({ kind: 'id' }, { kind: 'plain' })
  }

  list(of: 'changes' | 'viewers'): string {
    return this.#place({ kind: 'list', of }, { kind: 'plain' })
  }

  /** Null: without a type, see `Dialect.virtual`. */
  column(column: string, encoding: Encoding | null = null): string {
    return this.#place({ kind: 'column', column }, encoding)
  }

  /** Equal parameters share one placeholder. */
  #place(parameter: StatementParameter, encoding: Encoding | null): string {
    const known = this.parameters.findIndex((other) => isSame(other, parameter))
    const number = known >= 0 ? known + 1 : this.parameters.push(parameter)
    return this.dialect.placeholder(number, encoding)
  }

  /** The name of rows that several parts read, and the database selects once. They belong to `of`. */
  share(of: object, select: () => string): string {
    const known = this.#shared.get(of)
    if (known !== undefined) return known.name
    const shared = { name: this.alias(), select: select() }
    this.#shared.set(of, shared)
    return shared.name
  }

  /** The clause before the statement that has them. */
  get with(): string {
    const all = [...this.#shared.values()].map(({ name, select }) => `${name} AS MATERIALIZED (${select})`)
    return all.length === 0 ? '' : `WITH ${all.join(', ')} `
  }

  /** An unused alias for a table. */
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
    case 'claim':
      return b.kind === 'claim' && sameClaim(a.value, b.value) && sameEncoding(a.encoding, b.encoding)
    case 'column':
      return b.kind === 'column' && a.column === b.column
    case 'list':
      return b.kind === 'list' && a.of === b.of
    case 'viewer':
    case 'token':
    case 'id':
      return a.kind === b.kind
    default:
      return unreachable(a)
  }
}

function sameClaim(a: ClaimValue, b: ClaimValue): boolean {
  return a.isList === b.isList && isSameClaim({ name: a.claim, type: a.type }, { name: b.claim, type: b.type })
}

function sameEncoding(a: Encoding, b: Encoding): boolean {
  return a.kind === b.kind && 'type' in a === 'type' in b && (!('type' in a) || !('type' in b) || a.type === b.type)
}

export function and(conditions: readonly (string | null)[]): string {
  const present = conditions.filter((condition) => condition !== null)
  return present.length === 0 ? 'TRUE' : present.join(' AND ')
}

/** Joins conditions by one operator. Many become a balanced tree, since SQLite counts each condition of a flat chain as a
 *  level. */
export function joined(conditions: readonly string[], word: 'AND' | 'OR' | '+' | '||'): string {
  if (conditions.length <= 8) return `(${conditions.join(` ${word} `)})`
  const half = conditions.length >> 1
  return `(${joined(conditions.slice(0, half), word)} ${word} ${joined(conditions.slice(half), word)})`
}

/** The negation of a condition that may be unknown: of a null, too, it is true. */
export function isNotTrue(condition: string): string {
  return `(${condition}) IS NOT TRUE`
}
