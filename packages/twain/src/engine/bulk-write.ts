// A bulk write: finds the rows that match, and lets the store write them in one transaction. The store checks the filter again
// inside it, so that a row that changed meanwhile is not written by mistake.

import { ApiError } from '#base'
import type { Viewer } from '#base/http'
import type { AuthorizedPlan, BulkWrite, Limits, PageRead, PlanResult } from '#plan'
import type { Store } from '#store'
import type { ExecuteOptions } from './execute-options.ts'
import type { RehearseWrite } from './rehearse-write.ts'

type BulkStore = Pick<Store, 'run' | 'idempotency'> & { rehearse?: RehearseWrite }

export async function runBulk(
  plan: AuthorizedPlan<BulkWrite>,
  values: readonly unknown[],
  viewer: Viewer,
  options: ExecuteOptions,
  store: BulkStore,
  limits: Limits,
): Promise<PlanResult> {
  const { idempotencyKey, isDryRun } = options
  const earlier = idempotencyKey === undefined ? null : await store.idempotency.recall<PlanResult>(idempotencyKey)
  if (earlier !== null) return earlier
  const ids = await findRows(plan, values, viewer, store, limits)
  const withIds = [...values]
  withIds[plan.ids.index] = ids
  if (isDryRun !== true) return store.run(plan, withIds, options, viewer)
  if (store.rehearse === undefined) throw new Error('a dry run needs a store that can undo a write')
  return store.rehearse((inside) => inside.run(plan, withIds, {}, viewer), viewer)
}

async function findRows(
  { of, match, write: { action } }: BulkWrite,
  values: readonly unknown[],
  viewer: Viewer,
  store: BulkStore,
  limits: Limits,
): Promise<string[]> {
  const read = async (page: PageRead) => {
    const result = await store.run(page as AuthorizedPlan<PageRead>, values, { fresh: true }, viewer)
    if (result.kind !== 'many') throw new Error(`the store answered "${result.kind}" to a page`)
    return result
  }
  const rows = JSON.parse((await read(match)).text) as { id: string }[]
  if (limits.bulk === 0 || rows.length <= limits.bulk) return rows.map(({ id }) => id)
  if (match.shape.kind !== 'list') throw new Error('the rows of a bulk write are a list')
  const { total } = await read({ ...match, shape: { ...match.shape, total: true } })
  throw new ApiError('CONFLICT', `${total} ${of.list} match; at most ${limits.bulk} can be written at once.`, {
    hint: `Write them in portions with limit=${limits.bulk}, until a portion has no rows.${
      action === 'update' ? ' The filter must leave out rows that are written already.' : ''
    } The setting limits.bulk sets the limit.`,
  })
}
