// Opening the store of a PostgreSQL database: migrate, then connect.

import { PostgresChanges } from '../changes/postgres-changes.ts'
import type { OpenOptions, Store } from '../contract.ts'
import { StartRefused } from '../start-refused.ts'
import { Connections } from './connections.ts'
import { makeVault } from './make-vault.ts'
import { migrate } from './migrate.ts'
import { PostgresStore } from './postgres-store.ts'
import { PostgresWriter } from './write/postgres-writer.ts'
import { Transactions } from './write/transactions.ts'

export async function openPostgres(address: string, options: OpenOptions): Promise<Store> {
  const { model, sdl, limits, log, forgetting = false, poolSize = 10 } = options
  if (model.file !== null) {
    const { owner, name } = model.file.holders[0]!.field
    throw new StartRefused(`${owner.name}.${name} holds files, which can not be kept on PostgreSQL yet: use --data.`)
  }
  const { time } = limits
  const layout = await migrate(address, { model, sdl, forgetting })
  const writes = Math.max(1, Math.floor(poolSize / 2))
  const connections = new Connections(address, { size: Math.max(1, poolSize - writes), time }, log)
  const changes = await PostgresChanges.open({ address, connections, log }).catch(async (error) => {
    await connections.close()
    throw error
  })
  const transactions = new Transactions(address, { size: writes, time }, log)
  const writer = new PostgresWriter(transactions, model, layout, () => changes.wrote())
  const vault = makeVault(connections, transactions, model.account === null ? null : { account: model.account, layout })
  return new PostgresStore({ layout, connections, transactions, writer, vault, changes })
}
