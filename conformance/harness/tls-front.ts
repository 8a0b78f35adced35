// A proxy with TLS in front of a service, as in production, with pages of an application beside it.

import { readFileSync } from 'node:fs'
import { request as send } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

const certificates = join(import.meta.dirname, 'certificates')

export class TlsFront {
  /** Under which browsers reach the service. */
  readonly origin: string
  /** The pages of the application, by their paths. */
  readonly pages = new Map<string, (url: URL) => string>()
  /** The service; set once it listens. */
  target = ''

  private constructor(origin: string) {
    this.origin = origin
  }

  static async open(t: Pick<TestContext, 'after'>): Promise<TlsFront> {
    const read = (name: string) => readFileSync(join(certificates, name))
    const server: Server = createServer({ key: read('server.key'), cert: read('server.crt') }, (request, response) => {
      const address = new URL(request.url!, front.origin)
      const page = front.pages.get(address.pathname)
      if (page !== undefined) return void response.writeHead(200, { 'content-type': 'text/html' }).end(page(address))
      if (front.target === '') return void response.writeHead(404).end()
      const { method, headers, url } = request
      const passed = send(`${front.target}${url}`, { method, headers }, (reply) => {
        response.writeHead(reply.statusCode!, reply.headers)
        reply.pipe(response)
      })
      passed.on('error', () => response.destroy())
      request.pipe(passed)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    t.after(() => {
      server.close()
      server.closeAllConnections()
    })
    const front = new TlsFront(`https://127.0.0.1:${(server.address() as AddressInfo).port}`)
    return front
  }
}
