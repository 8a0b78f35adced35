// A page that begins far behind the first row has a statement of its own, which lets an index skip the rows before it (`compileDeepRead`).

import type { ReadPlan } from '#plan'

/** From this offset on, the search for the first row costs less than it saves. */
export const minDeepOffset = 100

export function isDeep(plan: ReadPlan, values: readonly unknown[], minOffset: number): boolean {
  return plan.kind === 'many' && plan.page.kind === 'offset' && Number(values[plan.page.offset.index]) >= minOffset
}
