// Detects a connection pooler (PgBouncer and the like) before the database. Twain needs sessions: the migration lock, LISTEN
// and prepared statements live in one.
//
// 1. Two connections that share a server process while one is in a transaction are pooled by transaction. The start is
//    refused: the migration lock would lock nobody out.
// 2. A pooler that keeps sessions but drops startup parameters is logged: it works, but slower.

import type { Log } from '#base'
import { StartRefused } from '../../tables/start-refused.ts'
import { connect, describeAddress } from './connect.ts'

const selectPid = 'SELECT pg_backend_pid() AS pid'

/** Throws StartRefused. */
export async function detectPooler(address: string, log: Log): Promise<void> {
  const [one, other] = [1, 2].map(() => connect(address, { size: 1, time: 5 }))
  try {
    const [first] = await one!.unsafe(`${selectPid}, current_setting('plan_cache_mode') AS plans`)
    const [second] = await other!.begin((transaction) => transaction.unsafe(selectPid))
    if (first!.pid === second!.pid) throw pooledByTransaction(address)
    if (first!.plans !== 'force_generic_plan') log.warn({ database: describeAddress(address) }, parametersIgnored)
  } finally {
    await Promise.all([one!.end({ timeout: 1 }), other!.end({ timeout: 1 })])
  }
}

const parametersIgnored =
  'connection pooler ignores session parameters: set them for the role (docs/operations/postgresql-compatibility.md)'

function pooledByTransaction(address: string): StartRefused {
  return new StartRefused(
    `A pooler stands before the database ${describeAddress(address)} and gives its connections out for a transaction at a time; ` +
      `what Twain needs lives as long as a session. Say pool_mode = session there, or give the address of the database itself: ` +
      `a node takes no more than --database-pool-size connections.`,
  )
}
