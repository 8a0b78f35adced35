// A port of 127.0.0.1 for a process that is started with it. It is below those that the system gives to who asks for any (32768
// and up on Linux, 49152 elsewhere): a connection or a listener of another test never takes it before the process does, nor
// while a server is away that is to come back on it.

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
