// Opens the store of a PostgreSQL database: waits for it, migrates, then connects.

import { type Attributes, CacheBudget } from '#base'
import { StatementObserver } from '../observe/statement-observer.ts'
import { StorageFailures } from '../observe/storage-failures.ts'
import type { OpenOptions } from '../options.ts'
import { minDeepOffset } from '../read/deep-page.ts'
import { searchedTables } from '../sql/search/searched-table.ts'
import type { Store } from '../store.ts'
import { replacedClock } from '../store-clock.ts'
import { SqlCredentialStore } from '../system/accounts/sql-credential-store.ts'
import { openDataMigrations } from '../system/data-migrations.ts'
import { SqlFileRecords } from '../system/files/sql-file-records.ts'
import { BackgroundDeletes } from '../system/jobs/background-deletes.ts'
import { keepableTypes, saveKeptTypes } from '../system/kept-history.ts'
import { openSystemStores } from '../system/open-system-stores.ts'
import { withSystemTypes } from '../system/system-rows.ts'
import { StorageTypeNames } from '../tables/layout.ts'
import { checkViews, type ViewChecker } from '../views/check-views.ts'
import { withViews } from '../views/view-source.ts'
import { PostgresChangeLog } from './changes/change-log.ts'
import { findServerHistory } from './changes/server-history.ts'
import { DatabaseClock, selectTime } from './clock/database-clock.ts'
import { parseAddress } from './connect/address.ts'
import { awaitDatabase, detectPooler } from './connect/await-database.ts'
import { describeAddress, type PoolOptions } from './connect/connect.ts'
import { warnOfAsynchronousStandbys } from './connect/standbys.ts'
import { PostgresFileChunks } from './file-chunks.ts'
import { dataMigrationLock } from './migrate/data-migration-lock.ts'
import { selectForeignKeys } from './migrate/foreign-keys.ts'
import { outdatedWordIndexes } from './migrate/indexes.ts'
import { migrate } from './migrate/migrate.ts'
import { ReadPool } from './read/read-pool.ts'
import { Replicas } from './read/replicas.ts'
import { SearchRefresher } from './search-refresher.ts'
import { PostgresStore } from './store.ts'
import { postgresSystemRows, postgresSystemTables } from './system-stores.ts'
import { postgresViews } from './view-columns.ts'
import { JobRunner } from './write/job-runner.ts'
import { Transactions } from './write/transactions.ts'
import { postgresWriteDialect } from './write/write-dialect.ts'

export async function openPostgres(address: string, options: OpenOptions): Promise<Store> {
  const { model, sdl, limits, log, allowBreaking = false, poolSize = 10, replicas: addresses = [] } = options
  const { caches = new CacheBudget(limits.cacheBytes) } = options
  const time = options.statementTimeoutSeconds ?? limits.timeSeconds
  await awaitDatabase(address, options.startupWaitSeconds ?? 0, log, options.stop)
  await detectPooler(address, log)
  const migrated = await migrate(address, { model, sdl, allowBreaking, migrations: options.migrations, log })
  const rows = withSystemTypes(migrated, model, postgresSystemRows)
  const layout = { ...withViews(rows, model, postgresViews), origin: options.origin ?? '' }
  const { reads, writes, locks } = divideConnections(poolSize, options.isSerializable === true)
  const { slowQueryMs = 0, slowStatements = null, recorder = null, tracing = null } = options
  const attributes = serverAttributes(address)
  const observer = new StatementObserver({
    system: 'postgresql',
    log,
    slowQueryMs,
    slowStatements,
    recorder,
    tracing,
    attributes,
  })
  const failures = new StorageFailures({ database: describeAddress(address) }, log)
  const { outageWaitSeconds = 10 } = options
  const poolOptions = {
    size: reads,
    time,
    outageWaitSeconds,
    statementBytes: limits.cacheBytes / 2,
    observer,
    failures,
  }
  const pool = new ReadPool(address, poolOptions, log)
  const viewPool = model.views.length === 0 ? null : new ReadPool(address, viewPoolOptions(poolOptions), log)
  const types = new StorageTypeNames(layout)
  let databaseClock: DatabaseClock | null = null
  const closePool = async (error: unknown): Promise<never> => {
    databaseClock?.close()
    await Promise.all([pool.close(), viewPool?.close()])
    throw error
  }
  const askTime = async () => Number((await pool.query(selectTime, []))[0]![0])
  databaseClock = await DatabaseClock.open(askTime, log).catch(closePool)
  const clock = options.clock === undefined ? databaseClock : replacedClock(options.clock)
  if (viewPool !== null) await checkViews(model, layout, viewChecker(viewPool)).catch(closePool)
  const history = await findServerHistory(pool, log).catch(closePool)
  await saveKeptTypes(model, layout, (sql) => pool.query(sql, [])).catch(closePool)
  const keepable = keepableTypes(model, layout)
  const changes = await PostgresChangeLog.open({ address, pool, types, keepable, history, log, failures }).catch(
    closePool,
  )
  await warnOfAsynchronousStandbys(pool, log)
  const transactions = new Transactions(
    address,
    {
      size: writes,
      lockSize: locks,
      time,
      outageWaitSeconds,
      statementBytes: limits.cacheBytes / 2,
      observer,
      failures,
      isolation: options.isSerializable === true ? 'SERIALIZABLE' : 'READ COMMITTED',
    },
    history,
    log,
  )
  const jobRunner = new JobRunner(transactions, model, layout, () => changes.wrote(), {
    caches,
    clock,
    maxCascade: limits.cascade,
  })
  const tables = postgresSystemTables(pool, transactions, clock)
  const accounts = model.account === null ? null : { account: model.account, layout }
  const credentials = new SqlCredentialStore({ ...tables, accounts })
  const replicas = addresses.length === 0 ? null : new Replicas(pool, addresses, poolOptions, log)
  const files =
    model.file === null
      ? null
      : new SqlFileRecords({
          dialect: postgresWriteDialect,
          clock,
          foreignKeys: selectForeignKeys,
          run: (...statements) => transactions.run(...statements),
          chunks: new PostgresFileChunks(pool, transactions),
          wrote: (viewer) => replicas?.wrote(viewer),
        })
  const searchRefresher = new SearchRefresher({
    run: (text, parameters) => pool.query(text, parameters),
    tables: searchedTables(layout),
    indexes: outdatedWordIndexes(layout),
    log,
  })
  changes.watchPositions(() => searchRefresher.wake())
  const system = openSystemStores(tables, true, accounts, options.clock)
  const dataMigrations = openDataMigrations(tables, layout, dataMigrationLock(address))
  const backgroundDeletes = new BackgroundDeletes(tables, system.jobs, layout)
  await backgroundDeletes.refresh().catch(closePool)
  const records = { ...system, clock, credentials, files, changes, searchRefresher, backgroundDeletes, dataMigrations }
  const parts = {
    layout,
    failures,
    databaseClock,
    pool,
    viewPool,
    replicas,
    transactions,
    jobRunner,
    caches,
    observer,
    ...records,
  }
  return new PostgresStore({
    ...parts,
    transactionMs: limits.timeSeconds * 1000,
    minDeepOffset: options.minDeepOffset ?? minDeepOffset,
  })
}

/** Views run on connections of their own, which can't write: a function that their SELECT calls can't either. */
function viewPoolOptions(options: PoolOptions): PoolOptions {
  return { ...options, size: viewConnections, isReadOnly: true }
}

const viewConnections = 2

function viewChecker(pool: ReadPool): ViewChecker {
  return {
    sql: postgresViews,
    /** No row is read: the names are those of a row of nulls. */
    async columns(select) {
      const none = `(SELECT * FROM (${select}) AS shown LIMIT 0)`
      const one = `SELECT none.* FROM (SELECT 1) AS always LEFT JOIN ${none} AS none ON TRUE`
      const rows = await pool.query(`SELECT json_object_keys(row_to_json(checked)) FROM (${one}) AS checked`, [])
      return rows.map(([name]) => String(name))
    },
  }
}

/** As the semantic conventions of database clients name them. */
function serverAttributes(address: string): Attributes {
  const { servers, database } = parseAddress(address)
  return { 'server.address': servers[0]?.host, 'server.port': servers[0]?.port, 'db.namespace': database }
}

/** Locks are for custom code, and for writes that conflict again and again. */
function divideConnections(poolSize: number, hasCustomCode: boolean): { reads: number; writes: number; locks: number } {
  const half = Math.max(1, Math.floor(poolSize / 2))
  const locks = hasCustomCode ? Math.max(1, Math.floor(half / 4)) : 1
  return { reads: Math.max(1, poolSize - half), writes: Math.max(1, half - (hasCustomCode ? locks : 0)), locks }
}
