// The lock under which one node runs data migrations. Other nodes wait for it at their start, for as long as it takes; nodes of
// an older version need it not. It belongs to a session: if the node dies, the next one gets the lock.

import { sleep } from '#base/time'
import type { DataMigrations } from '../../system/data-migrations.ts'
import { describeAddress } from '../connect/connect.ts'
import { toStartRefused } from '../connect/database-errors.ts'
import { reserveSession } from '../connect/reserve-session.ts'

const tryLock = `SELECT pg_try_advisory_lock(hashtext('twain data migrations'), hashtext(current_schema())) AS got`

/** Polls: a waiting statement would hold a snapshot, for which the indexes of a schema migration wait. */
const pollIntervalMs = 200

export function dataMigrationLock(address: string): DataMigrations['lock'] {
  return async (waiting, stop) => {
    try {
      const session = await reserveSession(address, 'SELECT 1')
      try {
        for (let isFirst = true; (await session.query(tryLock))[0]?.got !== true; isFirst = false) {
          stop?.throwIfAborted()
          if (isFirst) waiting()
          await sleep(pollIntervalMs)
        }
      } catch (error) {
        await session.close()
        throw error
      }
      return () => session.close()
    } catch (error) {
      throw stop?.aborted === true ? stop.reason : toStartRefused(error, describeAddress(address))
    }
  }
}
