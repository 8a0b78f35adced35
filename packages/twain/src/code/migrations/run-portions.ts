// Runs one data migration: a walk over the rows of a type by id, in portions, or one transaction for everything.

import { ApiError } from '#base'
import type { Viewer } from '#base/http'
import { monotonicTime, sleep } from '#base/time'
import { type CodeEngine, wrapCodeEngine } from '#engine'
import type { MigrationProgress } from '#store'
import type { Context } from '../context.ts'
import type { CodeRow } from '../rows.ts'
import type { BoundMigration, RowWork, WholeWork } from './bind-migration.ts'
import type { FailurePlace, MigrationEnvironment } from './migration-environment.ts'
import { whereAfter } from './plan-rows.ts'

/** Writers wait for a portion: it ends after this time, however many rows are left of it. */
const maxPortionMs = 250

/** How often a portion is tried that took too long or found no database. Each attempt takes fewer rows. */
const maxAttempts = 6
const retryDelayMs = 200

type Counts = Pick<MigrationProgress, 'visited' | 'changed'>

export async function runPortions(
  migration: BoundMigration,
  work: RowWork,
  viewer: Viewer,
  environment: MigrationEnvironment,
  at: FailurePlace,
  report: (visited: number, changed: number, isDone: boolean) => void,
): Promise<Counts> {
  let failures = 0
  for (;;) {
    environment.stop?.throwIfAborted()
    const size = Math.max(1, Math.floor(work.portion / 4 ** failures))
    try {
      const progress = await runPortion(migration, work, size, viewer, environment, at)
      if (progress.state === 'done') return progress
      failures = 0
      report(progress.visited, progress.changed, false)
    } catch (error) {
      // Also if it is not known whether the portion was committed: the next attempt reads how far it came.
      if (!(error instanceof ApiError) || error.code !== 'UNAVAILABLE' || ++failures === maxAttempts) throw error
      await sleep(retryDelayMs * failures)
    }
  }
}

/** Finds the rows before the transaction, because that may take long, and reads each again in it. */
async function runPortion(
  migration: BoundMigration,
  work: RowWork,
  size: number,
  viewer: Viewer,
  environment: MigrationEnvironment,
  at: FailurePlace,
): Promise<MigrationProgress> {
  const { name, hash, hooks } = migration
  const { records, engine, context, now } = environment
  const before = (await records.records()).get(name) ?? null
  at.visited = before?.visited ?? 0
  const reading = context(name, viewer, readingAfresh(engine))
  const found = await rowsAfter(before?.last ?? null, work, size, reading, engine.limits.page)
  return engine.migrate(viewer, { hooks }, async (inside, query) => {
    at.id = null
    const [record] = await query(records.resume(name, hash, now()))
    const progress = records.toProgress(record!)
    if (progress.state === 'done' || progress.last !== (before?.last ?? null)) return progress // another node went on
    const own = context(name, viewer, inside)
    const until = monotonicTime() + maxPortionMs
    let done = 0
    for (const { id, _version } of found) {
      at.id = id
      const row = await own.read[work.type.name]!.get(id)
      if (row !== null && row._version !== _version) break // the next portion finds out whether it still matches
      progress.last = id
      done++
      if (row !== null) {
        if (await changeRow(work, row, own)) progress.changed++
        progress.visited++
      }
      if (monotonicTime() > until) break
    }
    at.id = null
    if (found.length < size && done === found.length) progress.state = 'done'
    await query(records.advance(name, progress, now()))
    return progress
  })
}

/** Not from a replica, which may lack what the portion before has changed. */
function readingAfresh(engine: CodeEngine): CodeEngine {
  return wrapCodeEngine(engine, {
    execute: (boundPlan, viewer, options) => engine.execute(boundPlan, viewer, { ...options, fresh: true }),
  })
}

/** A portion may have more rows than a page of a list. */
async function rowsAfter(
  last: string | null,
  { type, where }: RowWork,
  size: number,
  context: Context,
  maxPageSize: number,
): Promise<CodeRow[]> {
  const rows: CodeRow[] = []
  for (;;) {
    const left = size - rows.length
    const limit = maxPageSize === 0 ? left : Math.min(left, maxPageSize)
    const after = whereAfter(where, rows.at(-1)?.id ?? last)
    const page = await context.read[type.name]!.list({ where: after, orderBy: [{ id: 'ASC' }], limit })
    rows.push(...page)
    if (page.length < limit || rows.length === size) return rows
  }
}

async function changeRow(work: RowWork, row: CodeRow, context: Context): Promise<boolean> {
  const changes = await work.change(row, context)
  if (changes === null || changes === undefined) return false
  if (typeof changes !== 'object' || Array.isArray(changes))
    throw new TypeError('change must return an object with the fields to change, or nothing')
  await context.write[work.type.name]!.update(row.id, changes)
  return true
}

export async function runWhole(
  { name, hash, hooks }: BoundMigration,
  { timeoutMs, run }: WholeWork,
  viewer: Viewer,
  { records, engine, context, now }: MigrationEnvironment,
): Promise<Counts> {
  return engine.migrate(viewer, { hooks, timeoutMs }, async (inside, query) => {
    const [found] = await query(records.resume(name, hash, now()))
    const progress = records.toProgress(found!)
    if (progress.state === 'done') return progress
    await run(context(name, viewer, inside))
    await query(records.advance(name, { ...progress, state: 'done' }, now()))
    return progress
  })
}
