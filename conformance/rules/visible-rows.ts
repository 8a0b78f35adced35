// What a viewer sees of rows, in the words of each face.

import type { Field, Resource } from '../../packages/twain/src/model/index.ts'
import { compareNullsLast } from '../generate/oracle-values.ts'
import { orderOf } from './apply-filter.ts'
import type { Judge } from './reference-rules.ts'
import type { Spot } from './rows-in-memory.ts'

/** REST's default representation: what may not be read is absent, a reference to what may not be read is null. */
export function restRow(judge: Judge, spot: Spot): Record<string, unknown> {
  const row: Record<string, unknown> = {}
  for (const field of spot.of.fields.values()) {
    if (field.kind === 'many' || field.kind === 'links' || field.kind === 'inverse') continue
    if (!judge.shows(field, spot)) continue
    row[field.name] = field.kind === 'stored' ? spot.row[field.name] : (target(judge, field, spot)?.row.id ?? null)
  }
  return row
}

/** `fields=` of one field and, below a reference or a list, of these of its targets. */
export function restPart(judge: Judge, spot: Spot, field: Field, below: Field[]): Record<string, unknown> {
  if (!judge.shows(field, spot)) return {}
  if (field.kind === 'stored') return { [field.name]: spot.row[field.name] }
  const parts = (there: Spot) => Object.assign({}, ...below.map((each) => restPart(judge, there, each, [])))
  if (field.kind === 'many' || field.kind === 'links')
    return { [field.name]: inOrder(judge, readable(judge, judge.world.follow(field, spot.row)), []).map(parts) }
  const there = target(judge, field, spot)
  return { [field.name]: there === undefined ? null : below.length === 0 ? there.row.id : parts(there) }
}

/** A selection of all there is, one level deep, and what a row gives under it. */
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

/** Refused fields are null, and told in `errors` with their paths. */
export function graphqlRow(judge: Judge, spot: Spot, path: string, errors: string[], deep = true): unknown {
  const row: Record<string, unknown> = {}
  for (const field of spot.of.fields.values()) {
    if (field.kind !== 'stored' && !deep) continue
    const here = `${path}.${field.name}`
    if (!judge.shows(field, spot)) {
      row[field.name] = null
      errors.push(`FORBIDDEN ${here}`)
    } else if (field.kind === 'stored') {
      row[field.name] = spot.row[field.name]
    } else if (field.kind === 'many' || field.kind === 'links') {
      const there = inOrder(judge, readable(judge, judge.world.follow(field, spot.row)), [])
      row[field.name] = there.map((each, at) => graphqlTarget(judge, field, each, `${here}.${at}`, errors))
    } else {
      const there = target(judge, field, spot)
      row[field.name] = there === undefined ? null : graphqlTarget(judge, field, there, here, errors)
    }
  }
  return row
}

function graphqlTarget(judge: Judge, field: Field, spot: Spot, path: string, errors: string[]): unknown {
  if (field.kind !== 'stored' && field.to.kind === 'resource') return graphqlRow(judge, spot, path, errors, false)
  return { __typename: spot.of.name, [`${spot.of.single}Id`]: spot.row.id }
}

export function readable(judge: Judge, spots: Spot[]): Spot[] {
  return spots.filter((spot) => judge.may('READ', spot))
}

/** The row that a reference leads to, if the viewer may read it. */
function target(judge: Judge, field: Field, spot: Spot): Spot | undefined {
  return readable(judge, judge.world.follow(field, spot.row))[0]
}

export type Keys = { name: string; direction: 'ASC' | 'DESC' }[]

/** What may not be read sorts as null; the id is the last key in the direction of the one before. */
export function inOrder(judge: Judge, spots: Spot[], keys: Keys): Spot[] {
  const all = [...keys, { name: 'id', direction: keys.at(-1)?.direction ?? 'ASC' }]
  return spots.toSorted((a, b) => {
    for (const { name, direction } of all) {
      const order = compareNullsLast(kindOf(a.of, name), seen(judge, a, name), seen(judge, b, name), direction)
      if (order !== 0) return order
    }
    return 0
  })
}

function seen(judge: Judge, spot: Spot, name: string): unknown {
  return judge.shows(spot.of.fields.get(name)!, spot) ? spot.row[name] : null
}

function kindOf(of: Resource, name: string): string {
  const field = of.fields.get(name)!
  return field.kind === 'stored' ? orderOf(field.type) : 'ID'
}
