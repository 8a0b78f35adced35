// What messages call a row: its type and its label, as far as the viewer can read it (docs/reference/schema.md#labels). Only
// refused writes ask for it.

import { shorten } from '#base'
import type { Resource } from '#model'
import type { StoredRow } from '../access/stored-row.ts'
import { evaluateChecks, queryRows, runBatch, type Step } from '../steps/query-step.ts'
import type { WriteState } from './write-state.ts'

/** Of a row that the viewer can read: `Post "Knots for beginners"`; without a label only `Post`. */
export function* rowName(
  resource: Resource,
  row: StoredRow,
  { context, rules }: Pick<WriteState, 'context' | 'rules'>,
): Step<string> {
  const field = rules.labelOf(resource)
  const label = field === null ? null : context.table(resource).decode(field, row)
  if (label === null || label === undefined || label === '') return resource.name
  const [isReadable] = yield* runBatch(evaluateChecks([rules.canReadLabel(resource, row.id)]))
  return isReadable! ? `${resource.name} ${JSON.stringify(shorten(String(label), maxLabelLength))}` : resource.name
}

/** Of a row that the request does not name: `Post "Knots for beginners" (id "…")`. The viewer can read it. */
export function* otherRowName(
  resource: Resource,
  id: string,
  state: Pick<WriteState, 'context' | 'rules'>,
): Step<string> {
  const table = state.context.table(resource)
  const [found] = yield* runBatch(queryRows([table.read(id)]))
  const row = table.row(id, found!)
  const name = row === null ? resource.name : yield* rowName(resource, row, state)
  return `${name} (id "${id}")`
}

/** Characters. */
const maxLabelLength = 80
