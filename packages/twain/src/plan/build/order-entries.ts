// An order as GraphQL and custom code write it: `[{createdAt: DESC}, {author: {name: ASC}}, {posts: {count: DESC}}]`.

import { isRecord } from '#base'
import type { Abstract, Resource } from '#model'
import type { RequestedOrder } from './order.ts'
import { countWord } from './order-paths.ts'
import type { PlanBuilder } from './plan-builder.ts'

/** Each item names one field (`@oneOf`). A direction that is an undefined variable names none (specification, section 3.10.1). */
export function orderEntries(
  value: unknown,
  of: Resource | Abstract,
  place: string,
  builder: PlanBuilder,
): RequestedOrder[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((key: unknown, index) => entriesOf(key, of, '', `${place}.${index}`))

  function entriesOf(key: unknown, row: Resource | Abstract | null, path: string, at: string): RequestedOrder[] {
    const entries = isRecord(key) ? Object.entries(key) : []
    if (entries.length === 0) builder.problem(at, 'REQUIRED', 'must name one field, with a direction.')
    return entries.flatMap(([name, inner]) => {
      // Inside a list there is nothing but the number of its rows.
      const isCount = row === null && name === 'count'
      const field = `${path}${isCount ? countWord : name}`
      const step = row?.fields.get(name)
      if (!isRecord(inner) || step === undefined || step.kind === 'stored')
        return [{ field, direction: String(inner), place: `${at}.${name}` }]
      const isList = step.kind === 'many' || step.kind === 'links'
      return entriesOf(inner, isList ? null : step.to, `${field}.`, `${at}.${name}`)
    })
  }
}
