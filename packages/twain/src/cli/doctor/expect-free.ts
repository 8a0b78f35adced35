// Whether a port can be opened: before a start touches the data, and for `twain doctor`.

import { once } from 'node:events'
import { createServer } from 'node:net'

/** Rejects as `listen` does when the port is taken. A start that can't listen then does not touch the data. */
export async function expectFree(host: string, port: number): Promise<void> {
  const probe = createServer().listen(port, host)
  await once(probe, 'listening')
  probe.close()
  await once(probe, 'close')
}
