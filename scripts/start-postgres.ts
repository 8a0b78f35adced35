// The PostgreSQL server that all tests of a run share: that of TWAIN_TEST_POSTGRES, or one that ends with this process.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

export interface SharedPostgres {
  address: string
  stop(): Promise<void>
}

export async function startPostgres(): Promise<SharedPostgres> {
  const configured = process.env.TWAIN_TEST_POSTGRES
  if (configured) return { address: configured, stop: async () => {} }
  // It ends when its input does, and so with this process, however that ends.
  const server = spawn(process.execPath, [join(import.meta.dirname, 'postgres.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const [address] = await Promise.race([once(server.stdout, 'data'), once(server, 'exit')])
  if (!Buffer.isBuffer(address)) throw new Error('PostgreSQL did not start.')
  return {
    address: address.toString().trim(),
    async stop() {
      server.stdin.end()
      if (server.exitCode === null) await once(server, 'exit')
    },
  }
}
