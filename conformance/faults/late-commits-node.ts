// A node of run-late-commits.ts, in a process of its own: it writes until it is stopped, and notifies the others after each commit.

import { randomUUID } from 'node:crypto'
import { openTestNode } from '../../packages/twain/src/store/postgres/changes/change-log.fixture.ts'
import { connect } from '../../packages/twain/src/store/postgres/connect/connect.ts'

/** The number of rows: few enough that two writers often write the same one. */
export const rowCount = 400

if (import.meta.main) await serve(process.argv[2]!, Number(process.argv[3]))

async function serve(address: string, writers: number): Promise<void> {
  const { changes, close } = await openTestNode(address)
  const database = connect(address, { size: writers, time: 30 })
  let isOver = false
  process.once('message', () => {
    isOver = true
  })
  await Promise.all(Array.from({ length: writers }, write))
  await close()
  await database.end()
  process.disconnect()

  async function write(): Promise<void> {
    while (!isOver) {
      const tag = randomUUID()
      const isUndone = Math.random() < 0.1
      await database.script(transaction(tag, Math.random() * 0.2, isUndone))
      if (isUndone) continue
      process.send!([tag, Date.now()])
      changes.wrote()
    }
  }
}

/** One message, which is one transaction: the sleeping writer needs nothing of this process. */
function transaction(tag: string, seconds: number, isUndone: boolean): string {
  const id = `r${Math.floor(Math.random() * rowCount)}`
  return `
    WITH next AS (
      UPDATE "Row" SET _version = _version + 1 WHERE id = '${id}' RETURNING id, _version
    ), recorded AS (
      INSERT INTO committed (tag, id, version) SELECT '${tag}', id, _version FROM next
    )
    INSERT INTO twain_change (resource, id, kind, version, time, after)
    SELECT 'Row', id, 'updated', _version, '${new Date().toISOString()}', '{"tag":"${tag}"}' FROM next;
    SELECT pg_sleep(${seconds})${isUndone ? '; ROLLBACK' : ''}`
}
