// Serves the two pages of the example on a local port. Any server of static files would do: the pages send their requests to
// the service itself. `twain dev` allows pages of this machine (`http.cors`).

import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

type File = [type: string, read: () => Promise<string>]

const files = new Map<string, File>([
  ['/', ['text/html', () => readPage('page.html')]],
  ['/client.html', ['text/html', () => readPage('client.html')]],
  ['/client.js', ['text/javascript', bundleClient]],
])

export async function servePage(port: number): Promise<Server> {
  const server = createServer(async ({ url = '/' }, response) => {
    const file = files.get(url.split('?')[0]!)
    if (file === undefined) return void response.writeHead(404).end()
    const [type, read] = file
    const text = await read()
    response.writeHead(200, { 'content-type': `${type}; charset=utf-8`, 'cache-control': 'no-cache' }).end(text)
  })
  await once(server.listen(port, '127.0.0.1'), 'listening')
  return server
}

const readPage = (name: string): Promise<string> => readFile(join(import.meta.dirname, name), 'utf8')

/** Bundles `@twain/client` and `@twain/client/auth` into one module. */
async function bundleClient(): Promise<string> {
  const modules = [import.meta.resolve('@twain/client'), import.meta.resolve('@twain/client/auth')]
  const contents = modules.map((url) => `export * from ${JSON.stringify(fileURLToPath(url))}`).join('\n')
  const stdin = { contents, resolveDir: import.meta.dirname }
  const { outputFiles } = await build({ stdin, bundle: true, format: 'esm', write: false, logLevel: 'error' })
  return outputFiles[0]!.text
}

if (import.meta.main) {
  const port = Number(process.env.PORT ?? 4100)
  await servePage(port)
  console.log(`The chat: http://localhost:${port} (in two windows, as two people)`)
  console.log(`The same on @twain/client: http://localhost:${port}/client.html`)
}
