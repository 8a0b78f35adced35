// Pages: by offset, or after a cursor. The size is a parameter; `check` checks it against the limit.

import { type Problem, validationError } from '#base'
import type { Abstract, Resource } from '#model'
import { checkParameter } from '../check/check-parameter.ts'
import type { Limits } from '../limit/limits.ts'
import type { OrderKey, PageBounds, Parameter } from '../plan.ts'
import { orderName, readCursor } from './cursor.ts'
import { orderKeyType } from './order.ts'
import type { PlanBuilder } from './plan-builder.ts'
import { currentValue, deriveValue } from './request-value.ts'

export const defaultPageSize = 20

/** The default size of a page of these rows. */
export function pageSizeOf(of: Resource | Abstract): number {
  return ownPageSize(of) ?? defaultPageSize
}

function ownPageSize(of: Resource | Abstract | null): number | undefined {
  return of?.kind === 'resource' ? of.system?.pageSize : undefined
}

/** The default size is allowed even if the limit is lower. */
function sizeParameter(of: Resource | Abstract | null, leaf: unknown, place: string, builder: PlanBuilder): Parameter {
  const allowed = ownPageSize(of)
  return builder.parameter(allowed === undefined ? { kind: 'size' } : { kind: 'size', allowed }, leaf, place)
}

export function offsetPage(
  limit: unknown,
  offset: unknown,
  builder: PlanBuilder,
  places: { limit: string; offset: string },
  of: Resource | Abstract | null = null,
): PageBounds {
  return {
    kind: 'offset',
    limit: sizeParameter(of, limit, places.limit, builder),
    offset: builder.parameter({ kind: 'offset' }, offset, places.offset),
  }
}

/** For a page that is not read by a plan. */
export function checkPageSize(first: unknown, limits: Limits, place: string, problems: Problem[]): number {
  return checkParameter({ kind: 'size' }, first, place, limits, problems) as number
}

/** For a page that is not read by a plan. */
export function checkOffset(offset: unknown, limits: Limits, place: string, problems: Problem[]): number {
  return checkParameter({ kind: 'offset' }, offset, place, limits, problems) as number
}

/** `after` is a RequestValue or a constant; null or undefined starts at the beginning. */
export function keysetPage(
  first: unknown,
  after: unknown,
  of: Resource | Abstract,
  order: readonly OrderKey[],
  builder: PlanBuilder,
  places: { first: string; after: string },
): PageBounds {
  const size = sizeParameter(of, first, places.first, builder)
  return { kind: 'keyset', first: size, after: planAfter() }

  function planAfter(): (Parameter | null)[] | null {
    const cursor = currentValue(after)
    if (cursor === null || cursor === undefined) return null
    const name = orderName(of, order)
    const keys = readKeys(cursor)
    if (keys === null) {
      builder.problem(places.after, 'TYPE', wrongCursorMessage)
      return null
    }
    return order.map((key, index) => {
      if (keys[index] === null) return null
      return builder.parameter(
        { kind: 'type', type: orderKeyType(key) },
        deriveValue(after, (text) => expectKeys(text)[index]),
        places.after,
      )
    })

    /** The cursor of a later request is decoded when its values are bound: the builder is gone by then. */
    function expectKeys(text: unknown): readonly unknown[] {
      const found = readKeys(text)
      if (found === null) throw validationError([{ path: places.after, code: 'TYPE', message: wrongCursorMessage }])
      return found
    }

    function readKeys(text: unknown): readonly unknown[] | null {
      const read = typeof text === 'string' ? readCursor(name, text) : null
      if (read?.length !== order.length) return null
      return read.every((key, index) => key !== null || isNullable(order[index]!, builder)) ? read : null
    }
  }
}

/** A field that the viewer may not read on every row sorts as null there. */
function isNullable(key: OrderKey, { visibility }: PlanBuilder): boolean {
  if (key.kind === 'type') return false
  if (key.kind === 'referred' || (key.kind === 'count' && key.path.length > 0)) return true
  return (key.kind === 'field' && !key.field.required) || visibility.maybeHidden(key.field)
}

const wrongCursorMessage = 'is not a cursor of this list in this order; pass "endCursor" unchanged.'
