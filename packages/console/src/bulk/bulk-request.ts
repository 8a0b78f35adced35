// Writes many rows: first a dry run, then the same request in earnest. All rows or none, but restores, which are one by one.

import { client, failureOf } from '../api/client.ts'
import type { TypeModel } from '../api/model.ts'
import { readRowsUpTo } from '../api/read-rows.ts'
import { labelOf, type Row } from '../api/row.ts'

export type BulkAction =
  | { kind: 'delete' | 'restore' | 'purge' }
  | { kind: 'update'; changes: Readonly<Record<string, unknown>> }

export interface BulkTarget {
  type: TypeModel
  /** The chosen rows; null: all that the query finds. */
  ids: readonly string[] | null
  /** The filters of the table. */
  query: string
  areDeleted: boolean
}

export interface Refusal {
  id: string
  label: string
  reason: string
}

/** A filter names at most this many ids. */
export const maxChosen = 100

interface BulkResult {
  count: number
  ids: readonly string[]
}

/** Throws what the server would refuse. */
export function tryBulk(action: BulkAction, target: BulkTarget): Promise<BulkResult> {
  return send(action, target, true)
}

export function runBulk(action: BulkAction, target: BulkTarget): Promise<BulkResult> {
  return send(action, target, false)
}

async function send(action: BulkAction, { type, ids, query }: BulkTarget, isTry: boolean): Promise<BulkResult> {
  const filter = ids === null ? query || 'all=true' : `id[in]=${ids.map(encodeURIComponent).join(',')}`
  const path = `/${type.path}?${filter}${isTry ? '&dryRun=true' : ''}`
  const { data } =
    action.kind === 'update'
      ? await client.rest.patch<BulkResult>(path, action.changes)
      : await client.rest.delete(path)
  return data as BulkResult
}

/** Which of the rows the server refuses, and why: each is tried alone. */
export async function findRefused(action: BulkAction, target: BulkTarget): Promise<Refusal[]> {
  const rows = await readRows(target)
  const refusals = await Promise.all(
    rows.map(async (row): Promise<Refusal[]> => {
      try {
        await tryBulk(action, { ...target, ids: [row.id] })
        return []
      } catch (error) {
        return [refusal(target.type, row, error)]
      }
    }),
  )
  return refusals.flat()
}

/** The rows with their labels; empty if there are too many to try each. */
export async function readRows({ type, ids, query, areDeleted }: BulkTarget): Promise<readonly Row[]> {
  const fields = ['id', ...(type.label === null ? [] : [type.label])].join(',')
  const filter = ids === null ? query : `id[in]=${ids.map(encodeURIComponent).join(',')}`
  const deleted = ids !== null && areDeleted ? '&deleted=only' : ''
  const { rows, hasMore } = await readRowsUpTo(maxChosen, type.path, `${filter}${deleted}&fields=${fields}`)
  return hasMore ? [] : rows
}

/** Restores rows, or deletes deleted ones for good, one after the other: each has its own outcome. */
export async function runEach(
  kind: 'restore' | 'purge',
  target: BulkTarget,
  rows: readonly Row[],
): Promise<{ done: number; refused: Refusal[] }> {
  const refused: Refusal[] = []
  for (const row of rows) {
    const path = `/${target.type.path}/${encodeURIComponent(row.id)}`
    try {
      if (kind === 'restore') await client.rest.post(`${path}/restorations`, undefined)
      else await client.rest.delete(`${path}?purge=true`)
    } catch (error) {
      refused.push(refusal(target.type, row, error))
    }
  }
  return { done: rows.length - refused.length, refused }
}

function refusal(type: TypeModel, row: Row, error: unknown): Refusal {
  return { id: row.id, label: labelOf(type, row), reason: failureOf(error).text }
}
