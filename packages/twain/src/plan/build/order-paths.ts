// Sort keys behind a path: a field of the row that references lead to (`author.name`), and the number of rows in a list
// (`posts._count`, `author.posts._count`).

import { didYouMean } from '#base'
import { type Abstract, type Field, isSortable, membersOf, type Resource, type StoredField } from '#model'
import type { ComputedKey, Direction, OrderStep } from '../plan.ts'
import { isFiltered, noteIfHidden } from '../visibility.ts'
import type { PlanBuilder } from './plan-builder.ts'

/** The end of a path: the number of rows in the list before it. */
export const countWord = '_count'

/** Of one order. A statement joins a table for each step and each type that it may lead to; SQLite joins at most 64. */
const maxOtherTables = 20

/** The paths of one order. */
export class OrderPaths {
  readonly #of: Resource | Abstract
  readonly #builder: PlanBuilder
  #tables = 0

  constructor(of: Resource | Abstract, builder: PlanBuilder) {
    this.#of = of
    this.#builder = builder
  }

  /** Null: a problem was reported, here or about the direction. */
  plan(names: readonly string[], direction: Direction | null, place: string): ComputedKey | null {
    const path: OrderStep[] = []
    let of = this.#of
    let types = 1
    for (const name of names.slice(0, -1)) {
      const field = this.#field(name, of, place)
      if (field === undefined) return null
      const isList = field.kind === 'many' || field.kind === 'links'
      if (isList && names.length === path.length + 2 && names.at(-1) === countWord) {
        this.#count(types * membersOf(field.to).length, place)
        return direction === null ? null : { kind: 'count', path, field, direction }
      }
      if (field.kind !== 'reference' && field.kind !== 'inverse') {
        this.#builder.problem(place, 'UNKNOWN', wrongStep(names, field))
        return null
      }
      types *= membersOf(field.to).length
      if (!this.#count(types, place)) return null
      path.push({ field })
      of = field.to
    }
    const field = this.#last(names.at(-1)!, of, place)
    return field === null || direction === null ? null : { kind: 'referred', path, field, direction }
  }

  #field(name: string, of: Resource | Abstract, place: string): Field | undefined {
    const found = this.#builder.fieldNamed(name, of.fields, of)
    if (found !== undefined && !noteIfHidden(found, of, this.#builder)) return found
    this.#unknown(name, of, ({ kind }) => kind !== 'stored', place)
    return undefined
  }

  #last(name: string, of: Resource | Abstract, place: string): StoredField | null {
    const found = this.#builder.fieldNamed(name, of.fields, of)
    const field = found !== undefined && noteIfHidden(found, of, this.#builder) ? undefined : found
    if (field !== undefined && isSortable(field)) return field as StoredField
    if (field === undefined) this.#unknown(name, of, isSortable, place)
    else
      this.#builder.problem(
        place,
        'UNKNOWN',
        `"${name}" of ${of.name} is not sortable.${sortAdvice(field, this.#builder)}`,
      )
    return null
  }

  #unknown(name: string, of: Resource | Abstract, isPossible: (field: Field) => boolean, place: string): void {
    const names = [...of.fields.values()]
      .filter((field) => isPossible(field) && isFiltered(field, of, this.#builder.visibility))
      .map((field) => field.name)
    this.#builder.problem(place, 'UNKNOWN', `"${name}" is not a field of ${of.name}.${didYouMean(name, names)}`)
  }

  #count(tables: number, place: string): boolean {
    const wasWithin = this.#tables <= maxOtherTables
    this.#tables += tables
    if (this.#tables <= maxOtherTables) return true
    if (wasWithin) {
      const why = 'each step counts for each type that it may lead to'
      this.#builder.problem(place, 'RANGE', `The order leads to more than ${maxOtherTables} other tables; ${why}.`)
    }
    return false
  }
}

/** What to sort by in the place of a reference or a list. */
export function sortAdvice(field: Field, { visibility }: Pick<PlanBuilder, 'visibility'>): string {
  if (field.kind !== 'reference' && field.kind !== 'inverse') return countAdvice(field)
  const inside = [...field.to.fields.values()].filter((one) => isSortable(one) && isFiltered(one, field.to, visibility))
  const example = inside.find(({ name }) => name !== 'id') ?? inside[0]
  return example === undefined ? '' : ` Sort by a field of it, such as ${field.name}.${example.name}.`
}

function wrongStep(names: readonly string[], field: Field): string {
  const path = names.join('.')
  if (field.kind === 'stored') return `"${path}" leads nowhere: "${field.name}" is a field of the row itself.`
  return `"${path}" leads into a list: sort by the number of its rows.${countAdvice(field)}`
}

function countAdvice({ kind, name }: Field): string {
  return kind === 'many' || kind === 'links' ? ` Write ${name}.${countWord}, or {${name}: {count: …}} in GraphQL.` : ''
}
