// What to change in a document that costs too much: the list of which it can have the most rows within the limit.

import type { Limits } from '#plan'
import { costRule } from '#plan'
import type { PageArgument } from '../schema/field-costs.ts'

/** A page of rows on the most expensive way through a document. */
export interface PageStep {
  /** The response keys that lead to it. */
  path: string
  argument: PageArgument
  /** Its present multiplier. */
  factor: number
  /** What it adds to the cost of the operation. */
  cost: number
}

export function costHint(steps: readonly PageStep[], cost: number, limits: Limits): string {
  const [best] = steps
    .map((step) => ({ ...step, rows: rowsWithin(step, cost - limits.cost) }))
    .filter(({ rows }) => rows >= 1)
    .sort((a, b) => b.rows - a.rows)
  const advice =
    best === undefined
      ? 'Select fewer fields, or split it into several queries.'
      : `Make ${best.path} smaller: with ${best.argument}: ${best.rows} it is within the limit. Or split it into several queries.`
  return `${advice} ${costRule}`
}

/** The page size at which the cost is lower by `excess`. */
function rowsWithin({ factor, cost }: PageStep, excess: number): number {
  return Math.floor(factor * (1 - excess / cost))
}
