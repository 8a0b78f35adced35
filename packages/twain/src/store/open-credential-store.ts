// The vault alone, for the command: of a data folder, or of a PostgreSQL database.

import { openSqliteVault } from './sqlite/open-credential-store.ts'
import type { OpenCredentialStore } from './system/credential-store.ts'

interface Place {
  data: string
  database: string | null
}

/** Throws StartRefused when nothing was ever served from there. */
export async function openCredentialStore({ data, database }: Place): Promise<OpenCredentialStore> {
  if (database === null) return openSqliteVault(data)
  const { openPostgresVault } = await import('./postgres/open-credential-store.ts')
  return openPostgresVault(database)
}
