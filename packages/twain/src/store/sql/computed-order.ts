// Rows in an order that no column of theirs holds: by a field of a row that they refer to, or by the number of rows in a list.
//
// 1. Each step of a path is a LEFT JOIN with the rules of the step, so that each referred row is looked up once for each row. A
//    reference to one of several types joins each of them, and at most one matches.
// 2. The keys become columns of the page: ORDER BY, the cursor and its condition read them there.
// 3. No index gives this order, so ranges would each scan all rows. After a cursor one condition over all keys does, on a
//    subquery that the database may not merge into the statement: it would evaluate each key several times.

import { type Abstract, membersOf, type Resource } from '#model'
import type { ComputedKey, OrderKey, OrderStep, Parameter } from '#plan'
import { quoteName } from '../tables/quote.ts'
import { foldByType } from './fold-by-type.ts'
import { bindValue, isNullable, orderedValue } from './sort-terms.ts'
import { SqlRow } from './sql-row.ts'
import { and, type StatementBuilder } from './statement-builder.ts'
import { compileGuard, compileLinked, compileWhere, from, pointsAt } from './where.ts'

/** The column of a page that holds a sort key. No column of a table has such a name. */
export function keyColumn(index: number): string {
  return quoteName(`sort key ${index}`)
}

/** The SQL of the keys of an order, and the joins that they need. */
export class ComputedKeys {
  readonly #statement: StatementBuilder
  readonly #joins: string[] = []
  /** The rows that a field of a row leads to, one for each type: two keys may lead through the same reference. */
  readonly #ends = new Map<SqlRow, Map<string, SqlRow[]>>()

  constructor(statement: StatementBuilder) {
    this.#statement = statement
  }

  /** Complete after all keys are compiled. */
  get joins(): string {
    return this.#joins.join('')
  }

  key(key: ComputedKey, row: SqlRow): string {
    const ends = key.path.reduce((rows, step) => rows.flatMap((one) => this.#follow(step, one)), [row])
    const values = ends.map((end) => this.#value(key, end, key.path.length > 0))
    if (values.length === 0) return 'NULL'
    return values.length === 1 ? values[0]! : `coalesce(${values.join(', ')})`
  }

  #follow(step: OrderStep, row: SqlRow): SqlRow[] {
    const known = this.#ends.get(row) ?? new Map<string, SqlRow[]>()
    this.#ends.set(row, known)
    const found = known.get(step.field.name) ?? this.#join(step, row)
    known.set(step.field.name, found)
    return found
  }

  #join({ field, guard, rows }: OrderStep, row: SqlRow): SqlRow[] {
    const statement = this.#statement
    const own = row.own(field)
    return this.#typesOf(own.to, rows, row).map((resource) => {
      const other = new SqlRow(statement.alias(), resource, row.layout)
      const conditions = [
        isReferred(own, other, row),
        compileGuard(guard, row, statement),
        compileGuard(rows, other, statement),
      ]
      this.#joins.push(` LEFT JOIN ${from(other)} ON ${and(conditions)}`)
      return other
    })
  }

  /** The types of which the viewer may read rows. */
  #typesOf(to: Resource | Abstract, rows: OrderStep['rows'], { layout }: SqlRow): readonly Resource[] {
    return membersOf(to).filter((member) => rows === undefined || foldByType(rows, member, layout) !== false)
  }

  #value(key: ComputedKey, row: SqlRow, isJoined: boolean): string {
    const statement = this.#statement
    const condition = compileGuard(key.guard, row, statement)
    if (key.kind === 'referred') {
      const value = orderedValue(key.field, row, statement)
      return condition === null ? value : `CASE WHEN ${condition} THEN ${value} END`
    }
    const count = this.#count(key, row)
    const conditions = isJoined ? [`${row.id} IS NOT NULL`, condition] : [condition]
    return conditions.every((one) => one === null) ? count : `CASE WHEN ${and(conditions)} THEN ${count} END`
  }

  #count({ field, rows }: ComputedKey & { kind: 'count' }, row: SqlRow): string {
    const statement = this.#statement
    const own = row.own(field)
    const counts = this.#typesOf(own.to, rows, row).map((resource) => {
      const other = new SqlRow(statement.alias(), resource, row.layout)
      const filter = rows === undefined ? null : compileWhere(rows, other, statement)
      if (own.kind === 'many')
        return `(SELECT count(*) FROM ${from(other)} WHERE ${and([pointsAt(other, own.via, row), filter])})`
      const linked = compileLinked(own, other, row.id, statement)
      return `(SELECT count(*) FROM ${linked.from} WHERE ${and([linked.on, filter])})`
    })
    return counts.length === 0 ? '0' : counts.join(' + ')
  }
}

function isReferred(field: OrderStep['field'], other: SqlRow, row: SqlRow): string {
  if (field.kind === 'inverse') return pointsAt(other, field.via, row)
  const { id, type } = row.reference(field)
  return type === null ? `${other.id} = ${id}` : `${other.id} = ${id} AND ${type} = ${other.typeName}`
}

/** The condition that a row follows the cursor, over the columns of its keys. */
export function compileAfter(
  order: readonly OrderKey[],
  after: readonly (Parameter | null)[],
  near: SqlRow,
  statement: StatementBuilder,
): string {
  return order.reduceRight((following, key, index) => {
    const column = keyColumn(index)
    const parameter = after[index]
    // NULLs are last: only rows with an equal key follow.
    if (parameter === null || parameter === undefined) return `(${column} IS NULL AND ${following})`
    const value = bindValue(key, parameter, near, statement)
    const isAfter = `${column} ${key.direction === 'ASC' ? '>' : '<'} ${value}`
    const isNull = isNullable(key) ? ` OR ${column} IS NULL` : ''
    return `(${isAfter}${isNull} OR (${column} = ${value} AND ${following}))`
  }, 'FALSE')
}
