// `npm run soak -- migrate-million-rows`: a field with a default and an index for a million rows, while 50 clients read and write.
// On PostgreSQL no request may fail, and the 99th percentile meanwhile is at most three times that before. On SQLite none may fail,
// and the log estimates beforehand how long requests wait. `migrate-million-rows=100000` takes fewer rows.
// stores: sqlite + postgres

import {
  type MigrationLoad,
  type MigrationOutcome,
  migrateOnPostgres,
  migrateOnSqlite,
} from '../faults/migrations/run-under-load.ts'

const rows = Number(process.argv[2] ?? 1_000_000)
const loaded: MigrationLoad = { rows, clients: 50, pause: 100, beside: 20, maxSeconds: 600 }

const onPostgres = await migrateOnPostgres(loaded)
const factor = onPostgres.p99.during / onPostgres.p99.before
printOutcome('PostgreSQL', onPostgres, factor <= 3)
const onSqlite = await migrateOnSqlite(loaded)
printOutcome(
  'SQLite',
  onSqlite,
  rows < 1_000_000 || onSqlite.estimates.some((sentence) => sentence.includes('of downtime')),
)

function printOutcome(
  store: string,
  { answered, failed, p99, worst, took, without, estimates }: MigrationOutcome,
  isHeld: boolean,
): void {
  const counts = `${answered.before} requests before, ${answered.during} during, ${answered.after} after`
  const times = `p99 ${ms(p99.before)} before, ${ms(p99.during)} during, ${ms(p99.after)} after, the longest ${ms(worst)}`
  console.log(`${store}, ${rows} rows: changed in ${took.toFixed(1)} s; ${counts}; ${times}; ${failed.length} failed`)
  for (const sentence of estimates) console.log(`  estimated: ${sentence}`)
  for (const one of failed.slice(0, 10)) console.log(`  failed: ${one}`)
  if (isHeld && failed.length === 0 && without === 0) return
  console.log('  (too much)')
  process.exitCode = 1
}

function ms(time: number): string {
  return `${time.toFixed(1)} ms`
}
