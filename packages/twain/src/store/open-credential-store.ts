// The vault alone, for the command: of a data folder, or of a PostgreSQL database.

import { openSqliteCredentialStore } from './sqlite/open-credential-store.ts'
import type { OpenCredentialStore } from './system/credential-store.ts'

interface CredentialLocation {
  data: string
  database: string | null
}

/** Throws StartRefused when nothing was ever served from there. */
export async function openCredentialStore({ data, database }: CredentialLocation): Promise<OpenCredentialStore> {
  if (database === null) return openSqliteCredentialStore(data)
  const { openPostgresCredentialStore: openPostgresVault } = await import('./postgres/open-credential-store.ts')
  return openPostgresVault(database)
}
