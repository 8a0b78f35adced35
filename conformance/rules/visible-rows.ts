// What a viewer sees of rows, as each API represents them.

import type { Abstract, Field, Resource } from '../../packages/twain/src/model/index.ts'
import { isAccountTime } from '../../packages/twain/src/model/values/operators.ts'
import { compareNullsLast } from '../generate/oracle-values.ts'
import { orderOf } from './apply-filter.ts'
import type { ReferenceRules } from './reference-rules.ts'
import type { PlacedRow } from './rows-in-memory.ts'

/** REST's default representation: unreadable fields are absent, a reference to an unreadable row is null. */
export function restRow(reference: ReferenceRules, spot: PlacedRow): Record<string, unknown> {
  const row: Record<string, unknown> = {}
  for (const field of spot.of.fields.values()) {
    if (field.kind === 'many' || field.kind === 'links' || field.kind === 'inverse') continue
    // REST shows the times of an account where `fields` names them.
    if (field.kind === 'stored' && isAccountTime(field.auto)) continue
    if (!reference.shows(field, spot)) continue
    row[field.name] = field.kind === 'stored' ? spot.row[field.name] : idOf(field, target(reference, field, spot))
  }
  return row
}

/** An interface or union has rows of several types. */
function idOf(field: Field, spot: PlacedRow | undefined): string | null {
  if (spot === undefined) return null
  return field.kind !== 'stored' && field.to.kind === 'abstract' ? `${spot.of.name}:${spot.row.id}` : spot.row.id
}

/** `fields=` with one field and, for a reference or a list, these fields of its targets, as far as their types have them. */
export function restPart(
  reference: ReferenceRules,
  spot: PlacedRow,
  field: Field,
  below: Field[],
): Record<string, unknown> {
  if (!reference.shows(field, spot)) return {}
  if (field.kind === 'stored') return { [field.name]: spot.row[field.name] }
  const parts = (there: PlacedRow) => {
    const own = below.filter((each) => each.owner === there.of)
    return Object.assign({}, ...own.map((each) => restPart(reference, there, each, [])))
  }
  if (field.kind === 'many' || field.kind === 'links')
    return {
      [field.name]: inOrder(reference, readable(reference, reference.world.follow(field, spot.row)), []).map(parts),
    }
  const there = target(reference, field, spot)
  return { [field.name]: there === undefined ? null : below.length === 0 ? idOf(field, there) : parts(there) }
}

/** A selection of all fields, one level deep, and its result for a row. */
export function graphqlSelection(of: Resource, deep = true): string {
  const parts = [...of.fields.values()].map((field) => {
    if (field.kind === 'stored') return field.name
    if (!deep) return ''
    if (field.to.kind === 'resource') return `${field.name} { ${graphqlSelection(field.to, false)} }`
    const members = field.to.members.map((member) => `... on ${member.name} { ${member.single}Id: id }`)
    return `${field.name} { __typename ${members.join(' ')} }`
  })
  return parts.filter((part) => part !== '').join(' ')
}

/** Denied fields are null, with their paths in `errors`. */
export function graphqlRow(
  reference: ReferenceRules,
  spot: PlacedRow,
  path: string,
  errors: string[],
  deep = true,
): unknown {
  const row: Record<string, unknown> = {}
  for (const field of spot.of.fields.values()) {
    if (field.kind !== 'stored' && !deep) continue
    const here = `${path}.${field.name}`
    if (!reference.shows(field, spot)) {
      row[field.name] = null
      errors.push(`FORBIDDEN ${here}`)
    } else if (field.kind === 'stored') {
      row[field.name] = spot.row[field.name]
    } else if (field.kind === 'many' || field.kind === 'links') {
      const there = inOrder(reference, readable(reference, reference.world.follow(field, spot.row)), [])
      row[field.name] = there.map((each, at) => graphqlTarget(reference, field, each, `${here}.${at}`, errors))
    } else {
      const there = target(reference, field, spot)
      row[field.name] = there === undefined ? null : graphqlTarget(reference, field, there, here, errors)
    }
  }
  return row
}

function graphqlTarget(
  reference: ReferenceRules,
  field: Field,
  spot: PlacedRow,
  path: string,
  errors: string[],
): unknown {
  if (field.kind !== 'stored' && field.to.kind === 'resource') return graphqlRow(reference, spot, path, errors, false)
  return { __typename: spot.of.name, [`${spot.of.single}Id`]: spot.row.id }
}

export function readable(reference: ReferenceRules, spots: PlacedRow[]): PlacedRow[] {
  return spots.filter((spot) => reference.may('READ', spot))
}

/** The row that a reference leads to, if the viewer may read it. */
function target(reference: ReferenceRules, field: Field, spot: PlacedRow): PlacedRow | undefined {
  return readable(reference, reference.world.follow(field, spot.row))[0]
}

/** A name may be a path: `author.name`, `posts._count`. */
export type Keys = { name: string; direction: 'ASC' | 'DESC' }[]

/** Unreadable values sort as null, and so does what stands behind unreadable rows; the id is the last key, in the direction of the one before. */
export function inOrder(reference: ReferenceRules, spots: PlacedRow[], keys: Keys): PlacedRow[] {
  const all = [...keys, { name: 'id', direction: keys.at(-1)?.direction ?? 'ASC' }]
  return spots.toSorted((a, b) => {
    for (const { name, direction } of all) {
      const path = name.split('.')
      const [here, there] = [seen(reference, a, path), seen(reference, b, path)]
      const order = compareNullsLast(kindOf(a.of, path), here, there, direction)
      if (order !== 0) return order
    }
    return 0
  })
}

/** The value of a field, of a field of a row that it refers to, or the number of rows in a list. */
function seen(reference: ReferenceRules, spot: PlacedRow, [name, ...rest]: string[]): unknown {
  const field = spot.of.fields.get(name!)!
  if (!reference.shows(field, spot)) return null
  if (rest.length === 0) return spot.row[field.name]
  if (rest[0] === '_count') return readable(reference, reference.world.follow(field, spot.row)).length
  const there = target(reference, field, spot)
  return there === undefined ? null : seen(reference, there, rest)
}

function kindOf(of: Resource | Abstract, [name, ...rest]: string[]): string {
  const field = of.fields.get(name!)!
  if (field.kind === 'stored') return orderOf(field.type)
  return rest[0] === '_count' ? 'Int' : kindOf(field.to, rest)
}
