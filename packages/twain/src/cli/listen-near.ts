// Listens on the port that is wanted or, where it may move, on one of the next ten that is free, else on any.

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
