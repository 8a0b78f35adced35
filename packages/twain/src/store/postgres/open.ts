// Opening the store of a PostgreSQL database: wait for it, migrate, then connect.

import type { OpenOptions } from '../options.ts'
import { searchedTables } from '../sql/searched-table.ts'
import type { Store } from '../store.ts'
import { openSystemStores } from '../system/open-system-stores.ts'
import { SqlFileRecords } from '../system/sql-file-records.ts'
import { StorageTypeNames } from '../tables/layout.ts'
import { longestInside } from '../write/open-transaction.ts'
import { PostgresChanges } from './changes/change-log.ts'
import { awaitDatabase } from './connect/await-database.ts'
import { lookForPooler } from './connect/detect-pooler.ts'
import { PostgresChunks } from './file-chunks.ts'
import { migrate } from './migrate/migrate.ts'
import { Connections } from './read/connections.ts'
import { Replicas } from './read/replicas.ts'
import { WordKeeper } from './search-refresher.ts'
import { PostgresStore } from './store.ts'
import { makeVault, postgresTables } from './system-stores.ts'
import { postgresWrites } from './write/dialect.ts'
import { Transactions } from './write/transactions.ts'
import { PostgresWriter } from './write/writer.ts'

export async function openPostgres(address: string, options: OpenOptions): Promise<Store> {
  const { model, sdl, limits, log, allowBreaking = false, poolSize = 10, replicas: addresses = [] } = options
  const time = options.statementTimeoutSeconds ?? limits.timeSeconds
  await awaitDatabase(address, options.startupWaitSeconds ?? 0, log, options.stop)
  await lookForPooler(address, log)
  const layout = await migrate(address, { model, sdl, allowBreaking, log })
  const writes = Math.max(1, Math.floor(poolSize / 2))
  const pool = { size: Math.max(1, poolSize - writes), time }
  const connections = new Connections(address, pool, log)
  const changes = await PostgresChanges.open({ address, connections, types: new StorageTypeNames(layout), log }).catch(
    async (error) => {
      await connections.close()
      throw error
    },
  )
  const transactions = new Transactions(address, { size: writes, time }, log)
  const writer = new PostgresWriter(transactions, model, layout, () => changes.wrote())
  const credentials = makeVault(
    connections,
    transactions,
    model.account === null ? null : { account: model.account, layout },
  )
  const own = postgresTables(connections, transactions)
  const replicas = addresses.length === 0 ? null : new Replicas(connections, addresses, pool, log)
  const files =
    model.file === null
      ? null
      : new SqlFileRecords({
          file: model.file,
          layout,
          dialect: postgresWrites,
          run: (...statements) => transactions.run(...statements),
          chunks: new PostgresChunks(connections, transactions),
          wrote: (viewer) => replicas?.wrote(viewer),
        })
  const words = new WordKeeper((text, parameters) => connections.ask(text, parameters), searchedTables(layout), log)
  const records = { ...openSystemStores(own, true), credentials, files, changes, words }
  const parts = { layout, connections, replicas, transactions, writer, ...records }
  return new PostgresStore({ ...parts, longestInside: options.maxTransactionMs ?? longestInside })
}
