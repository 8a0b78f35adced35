// Writes many rows: first a dry run, then the same request in earnest. All rows or none, but restores, which are one by one.

import { client, failureOf } from '../api/client.ts'
import type { TypeModel } from '../api/model.ts'
import { readPages } from '../api/read-rows.ts'
import { labelOf, type Row } from '../api/row.ts'
import { refusedFields } from '../why/access.ts'
import { bulkTexts } from './bulk-texts.ts'

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
  /** What the rules refuse: fields, or the whole row (null). Empty: something else refuses it. */
  denied: readonly (string | null)[]
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

export interface TriedRows {
  ids: readonly string[]
  refused: readonly Refusal[]
  /** Whether there are rows that were not tried. */
  hasMore: boolean
}

/** As many as the server writes at once, if nobody has set another limit. */
const maxTried = 1000

/** Which of the rows the server refuses, and why: portions that it refuses are halved until single rows are left. `goesOn` is asked
 *  before each request. A server that has no time for more keeps nothing back that was found before. */
export async function findRefused(
  action: BulkAction,
  target: BulkTarget,
  goesOn: (refused: readonly Refusal[]) => boolean,
): Promise<TriedRows> {
  const ids: string[] = []
  const refused: Refusal[] = []
  let isStopped = false
  const tryRows = async (rows: readonly Row[]): Promise<void> => {
    isStopped ||= !goesOn(refused)
    if (isStopped) return
    try {
      await tryBulk(action, { ...target, ids: rows.map(({ id }) => id) })
    } catch (error) {
      if (isPassing(error)) {
        if (refused.length === 0) throw error
        isStopped = true
        return
      }
      if (rows.length === 1) {
        refused.push(refusal(target.type, rows[0]!, error))
        return
      }
      const half = Math.ceil(rows.length / 2)
      for (const part of [rows.slice(0, half), rows.slice(half)]) await tryRows(part)
    }
  }
  for await (const { rows, hasMore } of readPages(maxChosen, target.type.path, rowsQuery(target))) {
    if (rows.length === 0) break
    await tryRows(rows)
    ids.push(...rows.map(({ id }) => id))
    if (isStopped || (hasMore && ids.length >= maxTried)) return { ids, refused, hasMore: true }
  }
  return { ids, refused, hasMore: false }
}

/** It says nothing about the row: another try may pass. */
function isPassing(error: unknown): boolean {
  return [0, 429, 503].includes(failureOf(error).status)
}

function rowsQuery({ type, ids, query, areDeleted }: BulkTarget): string {
  const fields = ['id', ...(type.label === null ? [] : [type.label])].join(',')
  const filter = ids === null ? query : `id[in]=${ids.map(encodeURIComponent).join(',')}`
  return `${areDeleted ? onlyDeleted(filter) : filter}&fields=${fields}`
}

/** A table with `deleted=with` also shows rows that are not deleted. Nothing may purge those. */
function onlyDeleted(filter: string): string {
  const others = filter.split('&').filter((one) => !one.startsWith('deleted='))
  return [...others, 'deleted=only'].join('&')
}

export async function countRows(target: BulkTarget): Promise<number> {
  const path = `/${target.type.path}?${rowsQuery(target)}&limit=1`
  const { headers } = await client.rest.get<Row[]>(path, { headers: { prefer: 'count=exact' } })
  return Number(headers.get('x-total-count'))
}

interface EachOutcome {
  done: number
  refused: readonly Refusal[]
}

/** Requests of one portion at a time. */
const concurrency = 4

/** The chosen rows that can't be restored or purged: the list of deleted rows does not have them. */
export async function findNotDeleted(target: BulkTarget): Promise<Refusal[]> {
  if (target.ids === null) return []
  const missing = new Set(target.ids)
  for await (const { rows } of readPages(maxChosen, target.type.path, rowsQuery(target)))
    for (const { id } of rows) missing.delete(id)
  return [...missing].map((id) => ({ id, label: id, reason: bulkTexts.notDeleted, denied: [null] }))
}

/** Restores rows, or deletes deleted ones for good, in portions: each row has its own outcome. `onPortion` returns whether to go on. */
export async function runEach(
  kind: 'restore' | 'purge',
  target: BulkTarget,
  onPortion: (outcome: EachOutcome) => boolean,
): Promise<EachOutcome> {
  let done = 0
  const refused: Refusal[] = []
  const runOne = async (row: Row) => {
    const path = `/${target.type.path}/${encodeURIComponent(row.id)}`
    try {
      if (kind === 'restore') await client.rest.post(`${path}/restorations`, undefined)
      else await client.rest.delete(`${path}?purge=true`)
      done++
    } catch (error) {
      refused.push(refusal(target.type, row, error))
    }
  }
  for await (const { rows } of readPages(maxChosen, target.type.path, rowsQuery(target)))
    for (let start = 0; start < rows.length; start += concurrency) {
      await Promise.all(rows.slice(start, start + concurrency).map(runOne))
      if (!onPortion({ done, refused })) return { done, refused }
    }
  return { done, refused }
}

function refusal(type: TypeModel, row: Row, error: unknown): Refusal {
  const failure = failureOf(error)
  const { code, text } = failure
  const isDenied = code === 'FORBIDDEN' || code === 'NOT_FOUND' // a deleted row exists only for those who may delete it
  return { id: row.id, label: labelOf(type, row), reason: text, denied: isDenied ? refusedFields(failure) : [] }
}
