// A page and a service on one origin, as most are deployed: requests for other paths than the page's files go to the
// service.

import { once } from 'node:events'
import { createServer, request, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'

export interface FrontPage {
  address: string
  close(): void
}

/** `files` by path; changes take effect at the next request. */
export async function openFrontPage(
  service: string,
  files: Map<string, [type: string, text: string]>,
): Promise<FrontPage> {
  const { hostname, port } = new URL(service)
  const server: Server = createServer((incoming, outgoing) => {
    const { method, url = '/', headers } = incoming
    const file = files.get(url)
    if (file !== undefined) return void outgoing.writeHead(200, { 'content-type': file[0] }).end(file[1])
    const passed = request({ hostname, port, method, path: url, headers }, (reply) => {
      outgoing.writeHead(reply.statusCode!, reply.rawHeaders)
      reply.pipe(outgoing)
    })
    passed.on('error', () => outgoing.destroy())
    return void incoming.pipe(passed)
  })
  server.on('upgrade', ({ method, url, rawHeaders }, socket) => {
    const upstream = connect(Number(port), hostname)
    const fields = rawHeaders.map((text, n) => (n % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join('')
    upstream.write(`${method} ${url} HTTP/1.1\r\n${fields}\r\n`)
    socket.pipe(upstream).pipe(socket)
    socket.on('error', () => {}).on('close', () => upstream.destroy())
    upstream.on('error', () => {}).on('close', () => socket.destroy())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
