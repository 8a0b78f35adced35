// A path of a request (`customer.country`) → a field of the row, or of a row that it refers to.

import { didYouMean } from '#base'
import { type Abstract, type Field, membersOf, type Resource, type StoredField } from '#model'
import type { GroupedField, OrderStep } from '../../plan.ts'
import { isHidden, noteIfHidden } from '../../visibility.ts'
import type { PlanBuilder } from '../plan-builder.ts'

/** Each reference is a join of the statement. */
const maxReferences = 5

/** What a path may end at. */
export interface PathEnd {
  accepts(field: Field): boolean
  /** Why another field is refused: `can't be summed`. */
  refusal: string
}

/** Null: a problem was reported. */
export function planGroupedField(
  path: readonly string[],
  of: Resource | Abstract,
  end: PathEnd,
  builder: PlanBuilder,
  place: string,
): GroupedField | null {
  const through: OrderStep[] = []
  let row = of
  for (const [index, name] of path.entries()) {
    const field = visibleField(name, row, end, builder, place, index < path.length - 1)
    if (field === null) return null
    if (index === path.length - 1) return endAt(field, row)
    if (field.kind !== 'reference' && field.kind !== 'inverse') {
      const why = field.kind === 'stored' ? 'has nothing inside' : 'is a list: aggregates are beside it'
      builder.problem(place, 'UNKNOWN', `"${name}" ${why}.`)
      return null
    }
    through.push({ field })
    if (through.length > maxReferences) {
      builder.problem(place, 'RANGE', `goes through more than ${maxReferences} references.`)
      return null
    }
    for (const _ of membersOf(field.to)) builder.countType() // a join for each type
    row = field.to
  }
  builder.problem(place, 'REQUIRED', 'must name a field.')
  return null

  function endAt(field: Field, holder: Resource | Abstract): GroupedField | null {
    if (!end.accepts(field)) {
      const reference = field.kind === 'reference' || field.kind === 'inverse'
      const hint = reference ? ` Name a field of it, such as ${[...path, 'id'].join('.')}.` : ''
      builder.problem(place, 'UNKNOWN', `"${field.name}" of ${holder.name} ${end.refusal}.${hint}`)
      return null
    }
    if (field.kind === 'stored') return { through, field }
    const { to } = field as Exclude<Field, StoredField>
    return { through: [...through, { field: field as OrderStep['field'] }], field: idOf(to) }
  }
}

/** Null: there is no such field that the viewer could ever read. */
function visibleField(
  name: string,
  of: Resource | Abstract,
  end: PathEnd,
  builder: PlanBuilder,
  place: string,
  isInside: boolean,
): Field | null {
  const field = builder.fieldNamed(name, of.fields, of)
  if (field !== undefined && !noteIfHidden(field, of, builder)) return field
  const visible = [...of.fields.values()].filter((one) => !isHidden(one, of, builder.visibility))
  const usable = visible.filter((one) => (isInside ? one.kind === 'reference' : end.accepts(one)))
  const names = usable.map((one) => one.name)
  builder.problem(place, 'UNKNOWN', `"${name}" is not a field of ${of.name}.${didYouMean(name, names)}`)
  return null
}

function idOf(of: Resource | Abstract): StoredField {
  return (of.kind === 'resource' ? of : of.members[0]!).fields.get('id') as StoredField
}
