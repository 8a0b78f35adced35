// The vault alone, for the command: of a data folder, or of a PostgreSQL database.

import { openPostgresVault } from './postgres/open-vault.ts'
import { openSqliteVault } from './sqlite/open-vault.ts'
import type { OpenVault } from './vault.ts'

interface Place {
  data: string
  database: string | null
}

/** Throws StartRefused when nothing was ever served from there. */
export async function openVault({ data, database }: Place): Promise<OpenVault> {
  return database === null ? openSqliteVault(data) : openPostgresVault(database)
}
