// The values that groups are made of, for each row: the keys, and what is measured. A field of a referred row is found by a LEFT
// JOIN on its id, which adds no row; the rules of the referred rows are conditions of the join.

import { membersOf } from '#model'
import type { GroupedField } from '#plan'
import { orderedValue } from '../sort-terms.ts'
import { SqlRow } from '../sql-row.ts'
import { and, type StatementBuilder } from '../statement-builder.ts'
import { compileGuard, from, pointsAt } from '../where.ts'

type Step = GroupedField['through'][number]

export class GroupValues {
  readonly #row: SqlRow
  readonly #statement: StatementBuilder
  /** By the alias of the row that refers, the name of its reference and the type of the referred row. */
  readonly #joined = new Map<string, SqlRow>()
  #joins = ''

  constructor(row: SqlRow, statement: StatementBuilder) {
    this.#row = row
    this.#statement = statement
  }

  /** To follow the tables of the rows. */
  get joins(): string {
    return this.#joins
  }

  /** NULL where the viewer may not read the value. `ordered`: as one value in the order of the field. */
  value({ through, field, guard }: GroupedField, ordered = false): string {
    return this.#valueOf(through, this.#row, (row) => {
      const value = ordered ? orderedValue(field, row, this.#statement) : row.stored(field)
      return guarded(value, compileGuard(guard, row, this.#statement))
    })
  }

  #valueOf(through: readonly Step[], row: SqlRow, read: (row: SqlRow) => string): string {
    const [step, ...rest] = through
    if (step === undefined) return read(row)
    const members = membersOf(step.field.to)
    const values = members.map((resource) => {
      const other = this.#join(step, row, resource)
      const value = this.#valueOf(rest, other, read)
      // An id is that of one type only: `Type:id` names the row, as in results.
      return rest.length === 0 && members.length > 1 && value === other.id
        ? `${other.typeNamed} || ':' || ${value}`
        : value
    })
    return values.length === 1 ? values[0]! : `coalesce(${values.join(', ')})`
  }

  #join(step: Step, row: SqlRow, resource: SqlRow['resource']): SqlRow {
    const key = `${row.alias} ${step.field.name} ${resource.name}`
    const known = this.#joined.get(key)
    if (known !== undefined) return known
    const statement = this.#statement
    const other = new SqlRow(statement.alias(), resource, row.layout)
    this.#joined.set(key, other)
    const on = [
      referTo(step, row, other),
      compileGuard(step.guard, row, statement),
      compileGuard(step.rows, other, statement),
    ]
    this.#joins += ` LEFT JOIN ${from(other)} ON ${and(on)}`
    return other
  }
}

/** At most one row refers back by an inverse field: its reference is unique. */
function referTo({ field }: Step, row: SqlRow, other: SqlRow): string {
  if (field.kind === 'inverse') return pointsAt(other, row.own(field).via, row)
  const { id, type } = row.reference(field)
  return type === null ? `${other.id} = ${id}` : `${other.id} = ${id} AND ${type} = ${other.typeName}`
}

function guarded(value: string, condition: string | null): string {
  return condition === null ? value : `CASE WHEN ${condition} THEN ${value} END`
}
