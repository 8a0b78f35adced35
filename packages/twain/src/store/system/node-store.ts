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
  run ${text} PRIMARY KEY, -- a new one for each start and each reload of the schema
  node ${text} NOT NULL, -- host:process, which containers may share
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
  withdraw(run: string): Promise<void>
  /** Other runs that announced themselves in the last 30 seconds. */
  listOthers(run: string): Promise<ServingNode[]>
}

export function openNodeStore({ dialect, read, run }: SystemTables, isShared: boolean): NodeStore {
  const query = systemQuery(dialect)
  const time = (plusMs: number) => dialect.time('?1', String(plusMs)) // null stands for the time of the database
  const announcing =
    `INSERT INTO twain_node (run, node, started, seen, memory, requests, errors) VALUES (?2, ?3, ?4, ${time(0)}, ?5, ?6, ?7) ` +
    'ON CONFLICT (run) DO UPDATE SET seen = excluded.seen, memory = excluded.memory, ' +
    'requests = excluded.requests, errors = excluded.errors'
  const forgetting = `DELETE FROM twain_node WHERE seen < ${time(-deletedAfterMs)}`
  return {
    isShared,
    async announce(id, { node, startedAt, memoryBytes, requests, errors }) {
      await run(
        query(announcing, null, id, node, toText(Date.parse(startedAt)), memoryBytes, requests, errors),
        query(forgetting, null),
      )
    },
    async withdraw(id) {
      await run(query('DELETE FROM twain_node WHERE run = ?1', id))
    },
    async listOthers(id) {
      const columns = 'node, started, seen, memory, requests, errors'
      const sql = `SELECT ${columns} FROM twain_node WHERE seen > ${time(-goneAfterMs)} AND run <> ?2`
      const rows = await read(query(sql, null, id))
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
