// The page on a port of this machine: `twain dev` lets pages of this machine read its answers (`http.cors`). Any server of
// static files would do; the page asks the service itself for everything.

import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'

const page = join(import.meta.dirname, 'page.html')

export async function servePage(port: number): Promise<Server> {
  const server = createServer(async ({ url }, response) => {
    if (url?.split('?')[0] !== '/') return void response.writeHead(404).end()
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' })
    response.end(await readFile(page))
  })
  await once(server.listen(port, '127.0.0.1'), 'listening')
  return server
}

if (import.meta.main) {
  const port = Number(process.env.PORT ?? 4100)
  await servePage(port)
  console.log(`The chat: http://localhost:${port} (in two windows, as two people)`)
}
