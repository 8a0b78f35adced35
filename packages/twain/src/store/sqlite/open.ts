// Opens the SQLite store of a data folder: locks the folder, migrates, then opens the read connection. The writer thread starts at
// the first write.

import { mkdirSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { CacheBudget } from '#base'
import { StatementObserver } from '../observe/statement-observer.ts'
import { StorageFailures } from '../observe/storage-failures.ts'
import type { OpenOptions } from '../options.ts'
import { minDeepOffset } from '../read/deep-page.ts'
import type { Store } from '../store.ts'
import { replacedClock } from '../store-clock.ts'
import { SqlCredentialStore } from '../system/accounts/sql-credential-store.ts'
import { openDataMigrations } from '../system/data-migrations.ts'
import { SqlFileRecords } from '../system/files/sql-file-records.ts'
import { BackgroundDeletes } from '../system/jobs/background-deletes.ts'
import { keepableTypes, saveKeptTypes } from '../system/kept-history.ts'
import { openSystemStores } from '../system/open-system-stores.ts'
import { withSystemTypes } from '../system/system-rows.ts'
import { type Layout, StorageTypeNames } from '../tables/layout.ts'
import { checkViews } from '../views/check-views.ts'
import { withViews } from '../views/view-source.ts'
import { SqliteChangeLog } from './changes/change-log.ts'
import { SqliteClock, share, sharedClockLength } from './clock/sqlite-clock.ts'
import {
  maxMainThreadResultBytes,
  openReadConnection,
  openWriteConnection,
  SqliteStatements,
} from './connect/connect.ts'
import { makeDatabaseFile } from './connect/database-file.ts'
import { FilePlace } from './connect/file-place.ts'
import { lockFolder } from './connect/lock-folder.ts'
import { selectForeignKeys } from './migrate/foreign-keys.ts'
import { migrate } from './migrate/migrate.ts'
import { LongReader } from './read/long-reader.ts'
import { ResultCache } from './read/result-cache.ts'
import { Snapshot } from './read/snapshot.ts'
import { SqliteStore } from './store.ts'
import { sqliteSystemRows, sqliteSystemTables } from './system-stores.ts'
import { sqliteViews } from './view-columns.ts'
import { SearchMerger } from './write/search-merger.ts'
import { WalLimit } from './write/wal-limit.ts'
import { sqliteWriteDialect } from './write/write-dialect.ts'
import { noHooks, WriteQueue } from './write/write-queue.ts'
import { takeWriterThread } from './write/writer-threads.ts'

export async function openSqlite(options: OpenOptions): Promise<Store> {
  const { data, model, sdl, limits, log, allowBreaking = false, maxGroupedWrites = 1000 } = options
  const { caches = new CacheBudget(limits.cacheBytes) } = options
  mkdirSync(data, { recursive: true, mode: 0o700 })
  const lock = lockFolder(data)
  let closeWriter: () => Promise<unknown> = async () => {}
  let closePlace = () => {}
  try {
    const file = makeDatabaseFile(data)
    const rows = withSystemTypes(migrateFile(file), model, sqliteSystemRows)
    const layout = { ...withViews(rows, model, sqliteViews), origin: options.origin ?? '' }
    const failures = new StorageFailures({ 'file.path': file }, log)
    const hooks = { ...noHooks }
    const { slowQueryMs = 0, slowStatements = null, recorder = null, tracing = null } = options
    const observer = new StatementObserver({ system: 'sqlite', log, slowQueryMs, slowStatements, recorder, tracing })
    const { slowMs } = observer
    const { cacheBytes, cascade: maxCascade, walBytes } = limits
    const times = new SharedArrayBuffer(sharedClockLength * Float64Array.BYTES_PER_ELEMENT)
    const writer = { file, model, layout, cacheBytes, maxCascade, walBytes, slowMs, clock: times }
    const queue = new WriteQueue(takeWriterThread, writer, maxGroupedWrites, log, hooks, observer, failures)
    closeWriter = () => queue.close()
    const longReader = new LongReader(file, limits.timeSeconds * 1000, log, {}, failures)
    const truncate = () => queue.truncateLog()
    const walLimit = new WalLimit({ file, maxBytes: walBytes, longReader, truncate, log })
    hooks.committed = () => walLimit.committed()
    const reading = openReadConnection(file, maxMainThreadResultBytes)
    const columns = (select: string) =>
      reading
        .prepare(select)
        .columns()
        .map(({ name }) => name)
    await checkViews(model, layout, { sql: sqliteViews, columns })
    const place = new FilePlace(file, log)
    closePlace = () => place.close()
    hooks.beforeAnswer = () => place.requireCommit()
    const snapshot = new Snapshot(reading, () => {
      place.require()
      return queue.isIdle
    })
    const beforeQuery = () => {
      place.require()
      snapshot.release()
    }
    const ownClock = new SqliteClock({
      stored: storedClock(reading),
      save: (text) => queue.run({ sql: 'UPDATE twain_log SET clock = ?', parameters: [text] }),
    })
    closeWriter = async () => {
      await ownClock.close()
      await queue.close()
    }
    const clock = options.clock === undefined ? ownClock : replacedClock(options.clock)
    const run = async (sql: string) => (await queue.run({ sql, parameters: [] }))[0]!
    // Keys and tokens are read afresh.
    const statements = new SqliteStatements(reading)
    const tables = sqliteSystemTables(statements, (...list) => queue.run(...list), clock, beforeQuery, failures)
    await saveKeptTypes(model, layout, run, async (sql) => tables.read({ sql, parameters: [] }))
    const changes = new SqliteChangeLog(
      file,
      new StorageTypeNames(layout),
      keepableTypes(model, layout),
      (...queries) => queue.run(...queries),
      { beforeRead: () => place.require(), failures },
    )
    const numbers = new Float64Array(times)
    hooks.beforeWrite = () => {
      beforeQuery()
      share(clock, numbers)
    }
    const searchMerger = new SearchMerger(layout, (...list) => queue.run(...list), log)
    hooks.wrote = () => {
      ownClock.wrote()
      changes.wrote()
      searchMerger.committed()
    }
    const accounts = model.account === null ? null : { account: model.account, layout }
    const credentials = new SqlCredentialStore({ ...tables, accounts })
    const files =
      model.file === null
        ? null
        : new SqlFileRecords({
            dialect: sqliteWriteDialect,
            clock,
            foreignKeys: selectForeignKeys,
            run: (...statements) => queue.run(...statements),
            chunks: null,
            wrote() {},
          })
    const system = openSystemStores(tables, false, accounts, options.clock)
    // The lock of the folder keeps other processes away.
    const dataMigrations = openDataMigrations(tables, layout, async () => async () => {})
    const backgroundDeletes = new BackgroundDeletes(tables, system.jobs, layout)
    await backgroundDeletes.refresh()
    const records = { ...system, clock, credentials, files, changes, backgroundDeletes, dataMigrations }
    return new SqliteStore({
      layout,
      reading,
      snapshot,
      resultCache: new ResultCache(limits.resultCacheBytes, caches),
      queue,
      ownClock,
      searchMerger,
      longReader,
      walLimit,
      place,
      failures,
      lock,
      caches,
      observer,
      ...records,
      transactionMs: limits.timeSeconds * 1000,
      minDeepOffset: options.minDeepOffset ?? minDeepOffset,
    })
  } catch (error) {
    closePlace()
    await closeWriter() // before the lock is released: there is one writer
    lock.release()
    throw error
  }

  function migrateFile(file: string): Layout {
    const database = openWriteConnection(file)
    try {
      return migrate(database, model, sdl, { data, allowBreaking, migrations: options.migrations, log })
    } finally {
      database.close()
    }
  }
}

function storedClock(reading: DatabaseSync): string | null {
  return (reading.prepare('SELECT clock FROM twain_log').get() as { clock: string | null }).clock
}
