// Runs one data migration: a walk over the rows of a type by id, in portions, or one transaction for everything.

import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '#base'
import type { Viewer } from '#base/http'
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
    const size = Math.max(1, Math.floor(Math.min(work.portion, environment.engine.limits.page) / 4 ** failures))
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

function runPortion(
  { name, hash, hooks }: BoundMigration,
  work: RowWork,
  size: number,
  viewer: Viewer,
  { records, engine, context, now }: MigrationEnvironment,
  at: FailurePlace,
): Promise<MigrationProgress> {
  return engine.migrate(viewer, { hooks }, async (inside, query) => {
    at.id = null
    const [found] = await query(records.resume(name, hash, now()))
    const progress = records.toProgress(found!)
    at.visited = progress.visited
    if (progress.state === 'done') return progress
    const own = context(name, viewer, inside)
    const rows = await own.read[work.type.name]!.list({
      where: whereAfter(work.where, progress.last),
      orderBy: [{ id: 'ASC' }],
      limit: size,
    })
    const until = performance.now() + maxPortionMs
    let visited = 0
    for (const row of rows) {
      at.id = row.id
      if (await changeRow(work, row, own)) progress.changed++
      progress.last = row.id
      visited++
      if (performance.now() > until) break
    }
    at.id = null
    progress.visited += visited
    if (visited === rows.length && rows.length < size) progress.state = 'done'
    await query(records.advance(name, progress, now()))
    return progress
  })
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
