// Opens the credential store of a PostgreSQL database for the command line. Running nodes see its changes at once.

import type { OpenCredentialStore } from '../system/credential-store.ts'
import { StartRefused } from '../tables/start-refused.ts'
import { describeAddress } from './connect/connect.ts'
import { toStartRefused } from './connect/database-errors.ts'
import { ReadPool } from './read/read-pool.ts'
import { createCredentialStore } from './system-stores.ts'
import { Transactions } from './write/transactions.ts'

/** A person waits for the result. */
const timeoutSeconds = 10

const silent = { info() {}, warn() {}, error() {} }

/** Throws StartRefused when nothing was ever served from the database. */
export async function openPostgresCredentialStore(address: string): Promise<OpenCredentialStore> {
  const place = describeAddress(address)
  const connections = new ReadPool(address, { size: 1, time: timeoutSeconds }, silent)
  const transactions = new Transactions(address, { size: 1, time: timeoutSeconds }, silent)
  const close = async () => {
    await transactions.close()
    await connections.close()
  }
  try {
    const [[tables] = []] = await connections.query(`SELECT to_regclass('twain_secret')::text`, [])
    if (tables === null) {
      throw new StartRefused(`There is no data in ${place}. Serve a schema from there first, or say where it is.`)
    }
  } catch (error) {
    await close()
    throw toStartRefused(error instanceof Error && error.cause !== undefined ? error.cause : error, place)
  }
  return Object.assign(createCredentialStore(connections, transactions, null), { close })
}
