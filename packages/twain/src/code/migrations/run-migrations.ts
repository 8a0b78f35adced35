// Runs the data migrations that this database has not finished, in their order, before the service serves.
//
// 1. One node at a time runs them; others wait for it at their start.
// 2. Each portion is a transaction that also stores how far it came. A kill repeats no committed portion.
// 3. A failed migration stops the start. What was committed stays, and the next start goes on after it.
// 4. At the end, rows must have what the schema requires of them: a migration may fill it in the same deploy.

import { ApiError, type Log } from '#base'
import { migrationViewer } from '#base/http'
import { monotonicTime } from '#base/time'
import { type DataMigrations, describeLackingRows, fillingMigration, type MigrationRecord, StartRefused } from '#store'
import { thrownAt } from '../load-config.ts'
import type { BoundMigration } from './bind-migration.ts'
import { numberOf } from './load-migrations.ts'
import type { FailurePlace, MigrationEnvironment } from './migration-environment.ts'
import { runPortions, runWhole } from './run-portions.ts'

/** Those that were not finished. */
function pendingMigrations(
  migrations: readonly BoundMigration[],
  records: ReadonlyMap<string, MigrationRecord>,
): BoundMigration[] {
  return migrations.filter(({ name }) => records.get(name)?.state !== 'done')
}

/** Throws StartRefused. */
export async function runMigrations(
  migrations: readonly BoundMigration[],
  environment: MigrationEnvironment,
): Promise<void> {
  const { records, log, stop } = environment
  const before = await records.records()
  warnOfChanged(migrations, before, log)
  if (pendingMigrations(migrations, before).length > 0) {
    const release = await records.lock(() => log.info({}, 'waiting for another node that runs data migrations'), stop)
    try {
      const present = await records.records()
      const pending = pendingMigrations(migrations, present)
      warnOfOrder(pending, present, log)
      for (const migration of pending) await runOne(migration, environment)
    } finally {
      await release()
    }
  }
  await refuseUnfilled(records)
}

async function runOne(migration: BoundMigration, environment: MigrationEnvironment): Promise<void> {
  const { log, onProgress } = environment
  const began = monotonicTime()
  const viewer = migrationViewer(migration.name, migration.events)
  const at: FailurePlace = { id: null, visited: 0 }
  const report = (visited: number, changed: number, isDone: boolean) =>
    onProgress?.({ migration, visited, changed, isDone })
  const { work } = migration
  try {
    const { visited, changed } =
      work.kind === 'rows'
        ? await runPortions(migration, work, viewer, environment, at, report)
        : await runWhole(migration, work, viewer, environment)
    report(visited, changed, true)
    const seconds = Number(((monotonicTime() - began) / 1000).toFixed(1))
    log.info({ migration: migration.name, visited, changed, seconds }, 'data migration finished')
  } catch (error) {
    if (environment.stop?.aborted === true && error === environment.stop.reason) throw error
    throw new StartRefused(describeFailure(migration, error, at))
  }
}

function describeFailure(
  { file, folder, work }: BoundMigration,
  error: unknown,
  { id, visited }: FailurePlace,
): string {
  const row = id === null || work.kind === 'whole' ? '' : ` at ${work.type.name} ${id}`
  const rows = `${visited.toLocaleString('en-US')} ${visited === 1 ? 'row' : 'rows'}`
  const done =
    work.kind === 'whole'
      ? 'It changed nothing; the next start runs it again.'
      : `${rows} before were visited, and what it changed in them stays; the next start goes on there.`
  return `${file} failed${row}: ${describeError(error, folder)}\n${done}`
}

function describeError(error: unknown, folder: string): string {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof ApiError) {
    const problems = error.problems.map(({ path, message }) => `\n  - ${path}: ${message}`).join('')
    return `${problems === '' ? error.message : 'the row does not fit the schema:'}${problems}${error.hint === undefined ? '' : ` ${error.hint}`}`
  }
  const place = thrownAt(error, folder)
  return `${error.name}: ${error.message}${place === null ? '' : ` (${place})`}`
}

function warnOfChanged(
  migrations: readonly BoundMigration[],
  records: ReadonlyMap<string, MigrationRecord>,
  log: Log,
): void {
  for (const { name, file, hash } of migrations) {
    const record = records.get(name)
    if (record?.state === 'done' && record.hash !== hash)
      log.warn(
        { migration: name },
        `${file} was changed after it ran. It does not run again; a file with another name would`,
      )
  }
}

function warnOfOrder(
  pending: readonly BoundMigration[],
  records: ReadonlyMap<string, MigrationRecord>,
  log: Log,
): void {
  for (const { name, file } of pending) {
    const later = [...records.values()].find((record) => record.state === 'done' && isLater(record.name, name))
    if (later !== undefined)
      log.warn({ migration: name }, `${file} runs now, after ${later.name}, which has a greater number`)
  }
}

function isLater(name: string, than: string): boolean {
  return (numberOf(name) ?? 0) > (numberOf(than) ?? 0)
}

/** See 4. */
async function refuseUnfilled(records: DataMigrations): Promise<void> {
  const lacking = await records.unfilled()
  if (lacking.length === 0) return
  const list = lacking.map((rows) => `  - ${describeLackingRows(rows)} ${fillingMigration(rows)}\n`).join('')
  throw new StartRefused(
    `The schema requires fields that rows still lack after all data migrations:\n${list}The tables fit the schema already; the next start runs new migrations and looks again.`,
  )
}
