// Opening the store of a PostgreSQL database: wait for it, migrate, then connect.

import { PostgresChanges } from '../changes/postgres-changes.ts'
import type { OpenOptions, Store } from '../contract.ts'
import { StartRefused } from '../start-refused.ts'
import { searchedTables } from '../words/searched-table.ts'
import { awaitDatabase } from './await-database.ts'
import { Connections } from './connections.ts'
import { makeVault } from './make-vault.ts'
import { migrate } from './migrate.ts'
import { PostgresStore } from './postgres-store.ts'
import { Replicas } from './replicas.ts'
import { WordKeeper } from './word-keeper.ts'
import { PostgresWriter } from './write/postgres-writer.ts'
import { Transactions } from './write/transactions.ts'

export async function openPostgres(address: string, options: OpenOptions): Promise<Store> {
  const { model, sdl, limits, log, forgetting = false, poolSize = 10, replicas: addresses = [] } = options
  if (model.file !== null) {
    const { owner, name } = model.file.holders[0]!.field
    throw new StartRefused(`${owner.name}.${name} holds files, which can not be kept on PostgreSQL yet: use --data.`)
  }
  const time = options.statementTime ?? limits.time
  await awaitDatabase(address, options.wait ?? 0, log)
  const layout = await migrate(address, { model, sdl, forgetting })
  const writes = Math.max(1, Math.floor(poolSize / 2))
  const pool = { size: Math.max(1, poolSize - writes), time }
  const connections = new Connections(address, pool, log)
  const changes = await PostgresChanges.open({ address, connections, log }).catch(async (error) => {
    await connections.close()
    throw error
  })
  const transactions = new Transactions(address, { size: writes, time }, log)
  const writer = new PostgresWriter(transactions, model, layout, () => changes.wrote())
  const vault = makeVault(connections, transactions, model.account === null ? null : { account: model.account, layout })
  const replicas = addresses.length === 0 ? null : new Replicas(connections, addresses, pool, log)
  const words = new WordKeeper((text, parameters) => connections.ask(text, parameters), searchedTables(layout), log)
  return new PostgresStore({ layout, connections, replicas, transactions, writer, vault, changes, words })
}
