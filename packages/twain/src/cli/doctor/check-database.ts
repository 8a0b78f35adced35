// PostgreSQL: can Twain use it, and does it have enough connections, TLS and the right time?

import { describeAddress, inspectDatabase } from '#store'
import { type Finding, fine, problem, warning } from './findings.ts'

const oldestVersion = 130_000

/** Twain's own, beside those of the pool: one for events, one for the change log, and some for migrations. */
const furtherConnections = 4

const maxClockDifferenceMs = 2000

type Facts = Awaited<ReturnType<typeof inspectDatabase>>

/** Nobody writes to a replica. */
type DatabaseRole = 'primary' | 'replica'

export async function checkDatabase(address: string, poolSize: number, role: DatabaseRole): Promise<Finding[]> {
  try {
    return judge(await inspectDatabase(address), address, poolSize, role)
  } catch (error) {
    const advice = 'Check the address, the password and the network: psql with the same address must work.'
    return [problem(`${describeAddress(address)} can't be used: ${(error as Error).message}`, advice)]
  }
}

function judge(facts: Facts, address: string, poolSize: number, role: DatabaseRole): Finding[] {
  const { version, isStandby, encoding, mayCreateTables, freeConnections, clockAheadMs } = facts
  const needed = poolSize + furtherConnections
  const seconds = Math.round(Math.abs(clockAheadMs) / 1000)
  return [
    facts.versionNumber < oldestVersion
      ? problem(`PostgreSQL ${version} is too old.`, 'Twain needs PostgreSQL 13 or later.')
      : fine(`PostgreSQL ${version} answers at ${describeAddress(address)}.`),
    ...(isStandby && role === 'primary'
      ? [problem('The server is a standby.', 'Name the primary, and the standby in --database-replicas.')]
      : []),
    ...(encoding === 'UTF8'
      ? []
      : [problem(`The encoding of the database is ${encoding}.`, "Create a database with ENCODING 'UTF8'.")]),
    ...(mayCreateTables || isStandby
      ? []
      : [problem('The user may not create tables.', 'GRANT CREATE ON SCHEMA … TO the user of the address.')]),
    ...(facts.findsDeadlocks || isStandby
      ? []
      : [
          warning(
            'The user may not set deadlock_timeout: two writes that wait for each other may take over a second.',
            grantAdvice(facts.versionNumber),
          ),
        ]),
    freeConnections < needed
      ? warning(
          `The server has ${freeConnections} free connections, and a node uses up to ${needed}.`,
          'Raise max_connections, or lower --database-pool-size.',
        )
      : fine(`${freeConnections} connections are free; a node uses up to ${needed}.`),
    facts.isEncrypted || isLocal(address)
      ? fine(facts.isEncrypted ? 'The connection is encrypted.' : 'The database is on this machine.')
      : warning('The connection to the database is not encrypted.', 'Set --database-tls verify.'),
    Math.abs(clockAheadMs) > maxClockDifferenceMs
      ? warning(
          `The clocks of this machine and of the database differ by ${seconds} s.`,
          'Run a time service such as chrony on both.',
        )
      : fine('The clocks of this machine and of the database agree.'),
  ]
}

/** GRANT SET ON PARAMETER exists since version 15. */
function grantAdvice(versionNumber: number): string {
  return versionNumber < 150_000
    ? "ALTER ROLE … SET deadlock_timeout = '100ms' for the user of the address, as a superuser."
    : 'GRANT SET ON PARAMETER deadlock_timeout TO the user of the address, as a superuser.'
}

function isLocal(address: string): boolean {
  const { hostname } = new URL(address)
  return hostname === '' || hostname === 'localhost' || hostname === '[::1]' || /^127\.|^%2F/i.test(hostname)
}
