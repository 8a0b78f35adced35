// The order of a page, always total: the requested keys, then the id in the direction of the key before it. Over an abstract
// the type's name follows, since two types may have the same id.

import { didYouMean, unreachable } from '#base'
import { type Abstract, isSortable, type Resource, type StoredField, type StoredType } from '#model'
import type { Direction, OrderKey } from '../plan.ts'
import { isHidden, noteIfHidden } from '../visibility.ts'
import { countWord, OrderPaths, sortAdvice } from './order-paths.ts'
import type { PlanBuilder } from './plan-builder.ts'

export interface RequestedOrder {
  /** A field of the row, or a path: `author.name`, `posts._count`. */
  field: string
  direction: string
  place: string
}

export function planOrder(keys: readonly RequestedOrder[], of: Resource | Abstract, builder: PlanBuilder): OrderKey[] {
  const order: OrderKey[] = []
  const seen = new Set<string>()
  const paths = new OrderPaths(of, builder)
  for (const { field: name, direction, place } of keys) {
    if (builder.hasEnoughProblems) break
    if (name.includes('.')) {
      const key = paths.plan(name.split('.'), directionOf(name, direction, place), place)
      if (
        key !== null &&
        isNew(
          orderKeyName(key, ({ name }) => name),
          name,
          place,
        )
      )
        order.push(key)
      continue
    }
    const found = builder.fieldNamed(name, of.fields, of)
    const field = found !== undefined && noteIfHidden(found, of, builder) ? undefined : found
    if (field === undefined || !isSortable(field)) {
      const visible = [...of.fields.values()].filter((one) => isSortable(one) && !isHidden(one, of, builder.visibility))
      const names = visible.map((candidate) => candidate.name)
      const why =
        field === undefined
          ? `is not a field of ${of.name}.${didYouMean(name, names)}`
          : `is not sortable.${sortAdvice(field, builder)}`
      builder.problem(place, 'UNKNOWN', `"${name}" ${why}`)
    } else {
      const towards = directionOf(name, direction, place)
      if (towards !== null && isNew(field.name, name, place))
        order.push({ kind: 'field', field: field as StoredField, direction: towards })
    }
  }
  return makeTotal(order.length === 0 ? defaultOrder(of) : order, of)

  function directionOf(name: string, direction: string, place: string): Direction | null {
    if (direction === 'ASC' || direction === 'DESC') return direction
    builder.problem(place, 'TYPE', `The direction of "${name}" must be ASC or DESC.`)
    return null
  }

  function isNew(key: string, name: string, place: string): boolean {
    if (!seen.has(key)) return seen.add(key) !== undefined
    builder.problem(place, 'UNKNOWN', `"${name}" is named twice in the order.`)
    return false
  }
}

/** The key as a request of REST writes it, with the names that `nameOf` gives. */
export function orderKeyName(key: OrderKey, nameOf: (field: { name: string }) => string): string {
  switch (key.kind) {
    case 'field':
      return nameOf(key.field)
    case 'type':
      return '__typename'
    case 'referred':
      return [...key.path.map(({ field }) => field), key.field].map(nameOf).join('.')
    case 'count':
      return [...[...key.path.map(({ field }) => field), key.field].map(nameOf), countWord].join('.')
    default:
      return unreachable(key)
  }
}

/** The type of the key's values, without null. */
export function orderKeyType(key: OrderKey): StoredType {
  switch (key.kind) {
    case 'field':
    case 'referred':
      return key.field.type
    case 'type':
      return { kind: 'scalar', name: 'String' }
    case 'count':
      return { kind: 'scalar', name: 'Int' }
    default:
      return unreachable(key)
  }
}

/** Rows of a schema file are sorted by their id. */
function defaultOrder(of: Resource | Abstract): OrderKey[] {
  const keys = (of.kind === 'resource' && of.system?.order) || []
  return keys.map(({ field, direction }) => {
    const by = (of.fields.get(field) as StoredField | undefined) ?? (of as Resource).system?.rowNumber
    return { kind: 'field', field: by!, direction }
  })
}

function makeTotal(order: OrderKey[], of: Resource | Abstract): OrderKey[] {
  const direction: Direction = order.at(-1)?.direction ?? 'ASC'
  const byId = order.findIndex((key) => key.kind === 'field' && key.field.name === 'id')
  // Keys after the id make no difference (except the type, over an abstract).
  const total = byId < 0 ? order : order.slice(0, byId + 1)
  if (byId < 0) total.push({ kind: 'field', field: idOf(of), direction })
  if (of.kind === 'abstract') total.push({ kind: 'type', direction: total.at(-1)!.direction })
  return total
}

/** An interface may leave out the id that its members have. */
function idOf(of: Resource | Abstract): StoredField {
  const resource = of.kind === 'resource' ? of : of.members[0]!
  return resource.fields.get('id') as StoredField
}
