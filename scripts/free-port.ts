// A port of 127.0.0.1 for a process that is started with it. It is below the ephemeral ports (32768 and up on Linux, 49152 elsewhere): no
// connection or listener of another test takes it before the process does, or while a stopped server is to start again on it.

import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    const port = randomInt(12_000, 32_000)
    if (await isFree(port)) return port
  }
  throw new Error('No port between 12000 and 32000 is free.')
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
}
