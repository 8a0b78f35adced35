// A shared cache in front of the server: nginx with `proxy_cache`, which obeys one line of `Vary`.
// stores: sqlite

import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../../scripts/free-port.ts'
import { TestService } from '../harness/test-service.ts'

const sdl = `
type User @account(login: "email") @allow(to: [CREATE]) @allow(who: "self") { id: ID! email: String! @unique name: String }
type Page @cacheControl(maxAge: 60, scope: PUBLIC) @allow { id: ID! title: String! old: String @deprecated(reason: "use title") }
`
const app = 'http://app.example.org'
const hasNginx = spawnSync('nginx', ['-v']).error === undefined

test('no answer repeats a header field', async (t) => {
  const service = await open(t)
  const operator = `Bearer ${await service.operator('admin')}`
  const more = { origin: app, prefer: 'count=exact, statements', authorization: operator, 'accept-encoding': 'br' }
  for (const [method, path] of [
    ['GET', '/pages?limit=2&count=exact'],
    ['GET', '/pages?limit=2&fields=id,old'],
    ['OPTIONS', '/pages'],
    ['GET', '/none'],
    ['POST', '/pages'],
    ['GET', '/graphql?query={pages{id}}'],
    ['GET', '/changes'],
    ['GET', '/docs/model'],
    ['GET', '/openapi.json'],
    ['GET', '/console'],
    ['GET', '/healthz'],
  ] as const) {
    const { rawHeaders } = await ask(service.address, method, path, more)
    const names = rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase())
    assert.deepEqual(names, [...new Set(names)], `${method} ${path}`)
  }
  const { headers } = await ask(service.address, 'GET', '/pages?limit=60', more)
  assert.equal(headers.vary, 'accept-encoding, origin, accept, authorization, prefer')
  assert.equal(headers['preference-applied'], 'statements, count=exact')
})

test('nginx with proxy_cache gives each client the coding and the grant that it asks for', {
  skip: hasNginx ? false : 'there is no nginx here',
}, async (t) => {
  const service = await open(t)
  const cache = await startCache(t, service.address)
  const get = async (headers: Record<string, string>) => {
    const { headers: answered } = await ask(cache, 'GET', '/pages?limit=60', headers)
    return [answered['x-cache'], answered['content-encoding'], answered['access-control-allow-origin']]
  }

  assert.deepEqual(await get({ 'accept-encoding': 'br' }), ['MISS', 'br', undefined])
  assert.deepEqual(await get({}), ['MISS', undefined, undefined])
  assert.deepEqual(await get({ origin: app }), ['MISS', undefined, app])
  assert.deepEqual(await get({ origin: app, 'accept-encoding': 'br' }), ['MISS', 'br', app])
  assert.deepEqual(await get({ 'accept-encoding': 'br' }), ['HIT', 'br', undefined])
  assert.deepEqual(await get({ origin: app }), ['HIT', undefined, app])
})

async function open(t: TestContext): Promise<TestService> {
  const service = await TestService.open(t, sdl, { listening: { http: { cors: app } } })
  for (let n = 0; n < 40; n++) await service.succeed('POST', '/pages', { title: `Page ${n}, which has a title` })
  return service
}

/** The address of an nginx with nothing but a cache. */
async function startCache(t: TestContext, upstream: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'twain-cache-'))
  chmodSync(folder, 0o755) // the workers of an nginx that root starts run under another account
  const port = await freePort()
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const temporary = folders.map((name) => `${name}_temp_path ${join(folder, name)};`)
  const file = join(folder, 'nginx.conf')
  writeFileSync(
    file,
    `daemon off; worker_processes 1; pid ${join(folder, 'pid')}; events {}
http {
  access_log off; ${temporary.join(' ')}
  proxy_cache_path ${join(folder, 'cache')} keys_zone=twain:1m;
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass ${upstream};
      proxy_cache twain;
      add_header X-Cache $upstream_cache_status;
    }
  }
}
`,
  )
  const nginx = spawn('nginx', ['-p', folder, '-c', file, '-e', 'stderr'], { stdio: ['ignore', 'ignore', 'inherit'] })
  const ended = once(nginx, 'exit')
  t.after(async () => {
    nginx.kill('SIGTERM')
    await ended
    rmSync(folder, { recursive: true })
  })
  const address = `http://127.0.0.1:${port}`
  while (nginx.exitCode === null && !(await answers(address))) await pause(10)
  return address
}

async function answers(address: string): Promise<boolean> {
  return ask(address, 'GET', '/healthz', {}).then(
    () => true,
    () => false,
  )
}

async function ask(
  address: string,
  method: string,
  path: string,
  headers: Record<string, string>,
): Promise<IncomingMessage> {
  const sent = request(`${address}${path}`, { method, headers, agent: false }).end()
  const [reply] = (await once(sent, 'response')) as [IncomingMessage]
  reply.resume()
  await once(reply, 'end')
  return reply
}
