// The nodes that serve from this database. Each writes its row at intervals (docs/internals/decisions/0116-list-of-nodes.md). A row that
// is older than `goneAfterMs` is that of a node that ended without a word. Times are those of the database.

import type { ServingNode } from '#base'
import { type SystemTables, systemQuery, toText, toTime } from './system-tables.ts'

/** Three intervals: a busy node may write late. */
const goneAfterMs = 30_000
const deletedAfterMs = 3_600_000

export function nodeTable({ text, whole, kind }: { text: string; whole: string; kind: string }): string {
  return `
CREATE TABLE IF NOT EXISTS twain_node (
  node ${text} PRIMARY KEY, -- host:process
  run ${text} NOT NULL, -- a new one for each start and each reload of the schema
  started ${text} NOT NULL,
  seen ${text} NOT NULL,
  memory ${whole} NOT NULL,
  requests ${whole}, -- of the last minute, as errors
  errors ${whole}
)${kind}`
}

export interface NodeStore {
  /** Whether other nodes may serve from the same database. */
  readonly isShared: boolean
  /** `run` is an id of the start. */
  announce(run: string, node: Omit<ServingNode, 'seenAt'>): Promise<void>
  /** Forgets the node, unless a newer run of it has announced itself. */
  withdraw(run: string): Promise<void>
  /** Those that announced themselves in the last 30 seconds. */
  list(): Promise<ServingNode[]>
}

export function openNodeStore({ dialect, read, run }: SystemTables, isShared: boolean): NodeStore {
  const query = systemQuery(dialect)
  const time = (plusMs: number) => dialect.time('?1', String(plusMs)) // null stands for the time of the database
  const announcing =
    `INSERT INTO twain_node (node, run, started, seen, memory, requests, errors) VALUES (?2, ?3, ?4, ${time(0)}, ?5, ?6, ?7) ` +
    'ON CONFLICT (node) DO UPDATE SET run = excluded.run, started = excluded.started, seen = excluded.seen, ' +
    'memory = excluded.memory, requests = excluded.requests, errors = excluded.errors'
  return {
    isShared,
    async announce(id, { node, startedAt, memoryBytes, requests, errors }) {
      await run(query(announcing, null, node, id, toText(Date.parse(startedAt)), memoryBytes, requests, errors))
    },
    async withdraw(id) {
      await run(
        query('DELETE FROM twain_node WHERE run = ?1', id),
        query(`DELETE FROM twain_node WHERE seen < ${time(-deletedAfterMs)}`, null),
      )
    },
    async list() {
      const sql = `SELECT node, started, seen, memory, requests, errors FROM twain_node WHERE seen > ${time(-goneAfterMs)}`
      const rows = await read(query(sql, null))
      return rows.map(([node, started, seen, memory, requests, errors]) => ({
        node: String(node),
        startedAt: toText(toTime(started)),
        seenAt: toText(toTime(seen)),
        memoryBytes: Number(memory),
        requests: requests === null ? null : Number(requests),
        errors: errors === null ? null : Number(errors),
      }))
    },
  }
}
