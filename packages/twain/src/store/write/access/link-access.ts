// A many-to-many list: the queries on its link table, seen from one of its sides, and its difference before and after a write.
// The SQL is built once.

import type { LinksField } from '#model'
import type { Query, QueryRows } from '../../sql/query.ts'
import type { WriteDialect } from '../../sql/write-dialect.ts'
import { type Layout, linkSides, StorageTypeNames } from '../../tables/layout.ts'
import { quoteName } from '../../tables/quote.ts'
import type { RowReference } from './stored-row.ts'

export class LinkAccess {
  readonly #field: LinksField
  /** Whether the linked row may be of several types. */
  readonly #typed: boolean
  readonly #types: StorageTypeNames
  readonly #linked: string
  readonly #link: string
  readonly #unlink: string

  constructor(field: LinksField, layout: Layout, dialect: WriteDialect) {
    const { table, own, other } = linkSides(layout, field)
    const type = field.side === 'left' ? layout.links.get(field.link)!.rightType : null
    const far = (type === null ? [other] : [other, type]).map(quoteName)
    const isFar = far.map((column, index) => `${column} = ?${index + 2}`).join(' AND ')
    const places = far.map((_, index) => `?${index + 2}`).join(', ')
    const columns = far.join(', ')
    this.#field = field
    this.#typed = type !== null
    this.#types = new StorageTypeNames(layout)
    this.#linked = dialect.text(
      `SELECT ${columns} FROM ${quoteName(table)} WHERE ${quoteName(own)} = ?1 ORDER BY ${columns}`,
    )
    // One write may name the same link from both sides of a type's relation with itself.
    this.#link = dialect.text(
      `INSERT INTO ${quoteName(table)} (${quoteName(own)}, ${columns}) VALUES (?1, ${places}) ON CONFLICT DO NOTHING`,
    )
    this.#unlink = dialect.text(`DELETE FROM ${quoteName(table)} WHERE ${quoteName(own)} = ?1 AND ${isFar}`)
  }

  /** Selects the linked rows in the order of their ids; `targets` reads the result. */
  linked(id: string): Query {
    return { sql: this.#linked, parameters: [id] }
  }

  targets(rows: QueryRows): RowReference[] {
    return rows.map(([id, type]) => ({
      type: type === undefined ? this.#field.to.name : this.#types.current(String(type)),
      id: String(id),
    }))
  }

  link(id: string, target: RowReference): Query {
    return { sql: this.#link, parameters: this.#places(id, target) }
  }

  unlink(id: string, target: RowReference): Query {
    return { sql: this.#unlink, parameters: this.#places(id, target) }
  }

  #places(id: string, target: RowReference): string[] {
    return this.#typed ? [id, target.id, this.#types.stored(target.type)] : [id, target.id]
  }
}

/** A many-to-many list that a write changes. */
export interface LinkChange {
  field: LinksField
  before: RowReference[]
  after: RowReference[]
}

/** The targets that are added or removed. */
export function changedTargets(before: readonly RowReference[], after: readonly RowReference[]): RowReference[] {
  return [...without(after, before), ...without(before, after)]
}

export function without(targets: readonly RowReference[], others: readonly RowReference[]): RowReference[] {
  const left = new Set(others.map(referenceKey))
  return targets.filter((target) => !left.has(referenceKey(target)))
}

export function referenceKey({ type, id }: RowReference): string {
  return `${type}:${id}`
}
