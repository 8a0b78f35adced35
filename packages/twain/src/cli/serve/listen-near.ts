// Listens on the port that is wanted or, where it may move, on one of the next ten that is free, else on any.

import { once } from 'node:events'
import { createServer } from 'node:net'
import { type HttpServer, type ListenOptions, listen } from '#http'

export async function listenNear(options: ListenOptions, mayMove: boolean): Promise<HttpServer> {
  const { port } = options
  const last = mayMove ? port + 10 : port
  for (let candidate = port; candidate <= last; candidate++) {
    try {
      return await listen({ ...options, port: candidate })
    } catch (error) {
      if (!mayMove || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    }
  }
  return listen({ ...options, port: 0 })
}

/** Rejects as `listen` would when the port is taken: so that a start which can't listen leaves the data alone. */
export async function expectFree(host: string, port: number): Promise<void> {
  const probe = createServer().listen(port, host)
  await once(probe, 'listening')
  probe.close()
  await once(probe, 'close')
}
