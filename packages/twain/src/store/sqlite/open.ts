// Opens the SQLite store of a data folder: locks the folder, migrates, then opens the read connection. The writer thread starts at
// the first write.

import { closeSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { CacheBudget } from '#base'
import { StatementObserver } from '../observe/statement-observer.ts'
import type { OpenOptions } from '../options.ts'
import { minDeepOffset } from '../read/deep-page.ts'
import type { Store } from '../store.ts'
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
import { maxTransactionMs } from '../write/open-transaction.ts'
import { SqliteChangeLog } from './changes/change-log.ts'
import {
  maxMainThreadResultBytes,
  openReadConnection,
  openWriteConnection,
  SqliteStatements,
} from './connect/connect.ts'
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
import { sqliteWriteDialect } from './write/write-dialect.ts'
import { WriteQueue } from './write/write-queue.ts'
import { takeWriterThread } from './write/writer-threads.ts'

export async function openSqlite(options: OpenOptions): Promise<Store> {
  const { data, model, sdl, limits, log, allowBreaking = false, maxGroupedWrites = 1000 } = options
  const { caches = new CacheBudget(limits.cacheBytes) } = options
  mkdirSync(data, { recursive: true, mode: 0o700 })
  const lock = lockFolder(data)
  let closeWriter: () => Promise<unknown> = async () => {}
  try {
    const file = join(data, 'twain.db')
    closeSync(openSync(file, 'a', 0o600)) // it holds the signing key of tokens; SQLite gives its log the same mode
    const rows = withSystemTypes(migrateFile(file), model, sqliteSystemRows)
    const layout = { ...withViews(rows, model, sqliteViews), origin: options.origin ?? '' }
    const hooks = { beforeWrite() {}, wrote() {} }
    const { slowQueryMs = 0, slowStatements = null, recorder = null, tracing = null } = options
    const observer = new StatementObserver({ system: 'sqlite', log, slowQueryMs, slowStatements, recorder, tracing })
    const { slowMs } = observer
    const writer = { file, model, layout, cacheBytes: limits.cacheBytes, maxCascade: limits.cascade, slowMs }
    const queue = new WriteQueue(takeWriterThread, writer, maxGroupedWrites, log, hooks, observer)
    closeWriter = () => queue.close()
    const longReader = new LongReader(file, limits.timeSeconds * 1000, log)
    const reading = openReadConnection(file, maxMainThreadResultBytes)
    const columns = (select: string) =>
      reading
        .prepare(select)
        .columns()
        .map(({ name }) => name)
    await checkViews(model, layout, { sql: sqliteViews, columns })
    const snapshot = new Snapshot(reading, () => queue.isIdle)
    const releaseSnapshot = () => snapshot.release()
    const run = async (sql: string) => (await queue.run({ sql, parameters: [] }))[0]!
    // Keys and tokens are read afresh.
    const tables = sqliteSystemTables(new SqliteStatements(reading), (...list) => queue.run(...list), releaseSnapshot)
    await saveKeptTypes(model, layout, run, async (sql) => tables.read({ sql, parameters: [] }))
    const changes = new SqliteChangeLog(
      file,
      new StorageTypeNames(layout),
      keepableTypes(model, layout),
      (...queries) => queue.run(...queries),
    )
    hooks.beforeWrite = releaseSnapshot
    const searchMerger = new SearchMerger(layout, (...list) => queue.run(...list), log)
    hooks.wrote = () => {
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
    const records = { ...system, credentials, files, changes, backgroundDeletes, dataMigrations }
    return new SqliteStore({
      layout,
      reading,
      snapshot,
      resultCache: new ResultCache(limits.resultCacheBytes, caches),
      queue,
      searchMerger,
      longReader,
      lock,
      caches,
      observer,
      ...records,
      maxTransactionMs: options.maxTransactionMs ?? maxTransactionMs,
      minDeepOffset: options.minDeepOffset ?? minDeepOffset,
    })
  } catch (error) {
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
