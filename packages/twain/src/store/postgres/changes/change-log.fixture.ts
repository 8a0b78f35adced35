// A change log in a database of its own, and nodes on it: for tests of the log alone.

import { type Log, uuidv7 } from '#base'
import { loadModel } from '#model'
import { StorageTypeNames } from '../../tables/layout.ts'
import { migrate } from '../migrate/migrate.ts'
import { ReadPool } from '../read/read-pool.ts'
import { makePreparedDatabase, type TestDatabase } from '../test-database.fixture.ts'
import { PostgresChangeLog } from './change-log.ts'
import { findServerHistory, type ServerHistory } from './server-history.ts'

interface TestLog {
  database: TestDatabase
  /** Without a history it is that of the server. */
  open(history?: ServerHistory): Promise<TestNode>
  /** Closes the nodes too. */
  close(): Promise<void>
}

interface TestNode {
  changes: PostgresChangeLog
  /** The application name of its pool. */
  name: string
  close(): Promise<void>
}

const sdl = 'type Row { id: ID! }'

export async function openTestLog(log?: Log): Promise<TestLog> {
  const database = await makePreparedDatabase()
  await migrate(database.address, { model: loadModel(sdl, 'rows.graphql'), sdl, allowBreaking: false })
  const nodes = new Set<TestNode>()
  return {
    database,
    async open(history) {
      const node = await openTestNode(database.address, log, history)
      nodes.add(node)
      return node
    },
    async close() {
      for (const { close } of nodes) await close()
      await database.drop()
    },
  }
}

const types = new StorageTypeNames({ tables: new Map() })
const loud: Log = { info() {}, warn: console.warn, error: console.error }

export async function openTestNode(
  address: string,
  log = loud,
  known?: ServerHistory,
  suspicionMs = 500,
): Promise<TestNode> {
  const name = uuidv7()
  const named = new URL(address)
  named.searchParams.set('application_name', name)
  const pool = new ReadPool(named.href, { size: 4, time: 30 }, log)
  const history = known ?? (await findServerHistory(pool, log))
  const changes = await PostgresChangeLog.open({
    address: named.href,
    pool,
    types,
    keepable: [],
    history,
    log,
    suspicionMs,
  })
  let closing: Promise<void> | undefined
  return {
    changes,
    name,
    close() {
      closing ??= changes.close().then(() => pool.close())
      return closing
    },
  }
}
