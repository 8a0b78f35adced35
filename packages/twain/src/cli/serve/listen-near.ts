// Listens on the requested port. If it is taken and another port is allowed, tries the next ten, then any free port.

import { once } from 'node:events'
import { createServer } from 'node:net'
import { type HttpServer, type ListenOptions, listen } from '#http'

export async function listenNear(options: ListenOptions, mayUseOtherPort: boolean): Promise<HttpServer> {
  const { port } = options
  const last = mayUseOtherPort ? port + 10 : port
  for (let candidate = port; candidate <= last; candidate++) {
    try {
      return await listen({ ...options, port: candidate })
    } catch (error) {
      if (!mayUseOtherPort || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    }
  }
  return listen({ ...options, port: 0 })
}

/** Rejects as `listen` does when the port is taken. A start that can't listen then does not touch the data. */
export async function expectFree(host: string, port: number): Promise<void> {
  const probe = createServer().listen(port, host)
  await once(probe, 'listening')
  probe.close()
  await once(probe, 'close')
}
