// Reading the log from its oldest change, for a reader without a cursor.

import { ApiError } from '#base'
import type { ChangeLog, LogPoint } from '#store'

/** A log that is pruned this often while one page is read can't be read. */
const maxAttempts = 5

/** Calls `read` with the point before the oldest change. If pruning passes that point meanwhile, `read` rejects with GONE, which
 *  only a reader with a cursor may get. So this reads again, from the new oldest point. */
export async function fromOldest<T>(
  changes: Pick<ChangeLog, 'bounds'>,
  read: (oldest: LogPoint) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const { start } = await changes.bounds()
    try {
      return await read(start)
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'GONE') throw error
    }
  }
  throw new ApiError('UNAVAILABLE', 'The server deletes old changes faster than it can read them.', {
    headers: { 'retry-after': '1' },
    hint: 'Try again, or read from the next change on with after=now.',
  })
}
