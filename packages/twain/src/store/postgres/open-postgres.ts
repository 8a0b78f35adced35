// Opening the store of a PostgreSQL database: migrate, then connect.

import type { OpenOptions, Store } from '../contract.ts'
import { Connections } from './connections.ts'
import { migrate } from './migrate.ts'
import { PostgresStore } from './postgres-store.ts'

export async function openPostgres(address: string, options: OpenOptions): Promise<Store> {
  const { model, sdl, limits, log, forgetting = false, poolSize = 10 } = options
  const layout = await migrate(address, { model, sdl, forgetting })
  const connections = new Connections(address, { size: poolSize, time: limits.time }, log)
  return new PostgresStore({ layout, connections })
}
