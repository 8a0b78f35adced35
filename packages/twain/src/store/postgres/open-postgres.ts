// Opening the store of a PostgreSQL database: migrate, then connect.

import { PostgresChanges } from '../changes/postgres-changes.ts'
import type { OpenOptions, Store } from '../contract.ts'
import { StartRefused } from '../start-refused.ts'
import { Connections } from './connections.ts'
import { migrate } from './migrate.ts'
import { PostgresStore } from './postgres-store.ts'

export async function openPostgres(address: string, options: OpenOptions): Promise<Store> {
  const { model, sdl, limits, log, forgetting = false, poolSize = 10 } = options
  if (model.file !== null) {
    const { owner, name } = model.file.holders[0]!.field
    throw new StartRefused(`${owner.name}.${name} holds files, which can not be kept on PostgreSQL yet: use --data.`)
  }
  const layout = await migrate(address, { model, sdl, forgetting })
  const connections = new Connections(address, { size: poolSize, time: limits.time }, log)
  const changes = await PostgresChanges.open({ address, connections, log }).catch(async (error) => {
    await connections.close()
    throw error
  })
  return new PostgresStore({ layout, connections, changes })
}
