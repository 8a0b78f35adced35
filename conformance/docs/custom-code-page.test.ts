// docs/reference/custom-code.md, compiled and run: each `twain.config.ts` that it shows, beside the schema file above it.
// stores: none

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort } from '../../scripts/free-port.ts'
import { ServerProcess } from '../harness/server-process.ts'
import { twainCommand, twainModules } from '../harness/twain-modules.ts'

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/reference/custom-code.md'), 'utf8')
const mailService = 'https://mail.example/messages'

interface Example {
  chapter: string
  code: string
  /** The schema file above it. */
  sdl: string
}

/** What the tests look at: of a row, a token, a problem or a list. */
interface Shown {
  id: string
  token: string
  status: string
  code: string
  length: number
  balance: number
  detail: string
}

const examples = examplesOf(page)

describe('docs/reference/custom-code.md', () => {
  const folder = mkdtempSync(join(tmpdir(), 'twain-custom-code-'))
  const folderOf = (chapter: string) => join(folder, chapter.toLowerCase().replaceAll(' ', '-'))
  after(() => rmSync(folder, { recursive: true }))

  before(async () => {
    writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
    symlinkSync(twainModules, join(folder, 'node_modules')) // where `twain` is found
    for (const { chapter, code, sdl } of examples) {
      mkdirSync(folderOf(chapter))
      const schemaFile = join(folderOf(chapter), 'schema.graphql')
      writeFileSync(schemaFile, sdl)
      writeFileSync(join(folderOf(chapter), 'twain.config.ts'), code)
      await promisify(execFile)(process.execPath, [twainCommand, 'types', schemaFile])
    }
  })

  test('shows a whole file for each kind of custom code', () => {
    assert.deepEqual(
      examples.map(({ chapter }) => chapter),
      [
        'Custom code',
        'Custom operations',
        'Sums and groups',
        'Custom subscriptions',
        'Transactions',
        'Hooks',
        'Change handlers',
        'Background jobs',
        'Sign-in',
        'Errors',
      ],
    )
  })

  test('all of it compiles with the types of its schema', { timeout: 120_000 }, async () => {
    const { compilerOptions } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8')) as {
      compilerOptions: object
    }
    const options = { ...compilerOptions, typeRoots: [join(root, 'node_modules/@types')] }
    const config = { compilerOptions: options, include: ['*/*.ts'], exclude: [] }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
    const compiler = join(root, 'node_modules/.bin/tsc')
    const { stdout } = await promisify(execFile)(compiler, ['-p', folder]).catch((error) => error)
    assert.equal(stdout, '')
  })

  test('a computed field', async (t) => {
    const { send } = await serve(t, 'Custom code')
    const { body } = await send('POST', '/posts', { title: 'Knots', body: 'First the bowline.' })
    const shown = await send('GET', `/posts/${body.id}?fields=excerpt(length:5)`)
    assert.deepEqual(shown.body, { excerpt: 'First' })
  })

  test('custom operations, through both APIs', async (t) => {
    const { send } = await serve(t, 'Custom operations')
    const account = { email: 'ann@example.com', password: 'correct horse' }
    await send('POST', '/users', account)
    const { token } = (await send('POST', '/tokens', account)).body
    const { id } = (await send('POST', '/posts', { title: 'Knots' }, token)).body
    assert.deepEqual((await send('GET', '/top-authors?limit=3')).body, [])
    const published = await send('POST', '/publications', { id }, token)
    assert.deepEqual([published.status, published.body.status], [200, 'PUBLISHED'])
    assert.equal((await send('GET', '/top-authors?limit=3')).body.length, 1)
    const query = `mutation { publish(id: "${id}") { title } }`
    assert.deepEqual((await send('POST', '/graphql', { query }, token)).body, { data: { publish: { title: 'Knots' } } })
  })

  test('sums and groups', async (t) => {
    const { send } = await serve(t, 'Sums and groups')
    for (const placedAt of ['2026-01-31T23:30:00Z', '2026-02-10T10:00:00Z', '2026-03-01T10:00:00Z'])
      await send('POST', '/orders', { country: 'NO', total: '0.10', placedAt })
    const { body } = await send('GET', '/report?since=2026-01-01T00:00:00Z')
    assert.deepEqual(body, { total: '0.3', months: ['2026-02-01 NO: 2'] })
  })

  test('a custom subscription, as an event stream', async (t) => {
    const { send, address } = await serve(t, 'Custom subscriptions')
    await send('POST', '/ships', { name: 'Aurora' })
    const paths = [
      '/arrivals?every=1&fields=name',
      `/graphql?query=${encodeURIComponent('subscription { arrivals { name } }')}`,
    ]
    for (const path of paths) {
      const ending = new AbortController()
      const headers = { accept: 'text/event-stream' }
      const reply = await fetch(address + path, { headers, signal: ending.signal })
      let text = ''
      for await (const part of reply.body!.pipeThrough(new TextDecoderStream())) {
        text += part
        if (text.includes('Aurora')) break
      }
      ending.abort()
      assert.match(text, /data: .*\{"name":"Aurora"\}/)
    }
  })

  test('signIn refuses a sign-in', async (t) => {
    const { send } = await serve(t, 'Sign-in')
    const signIn = async (email: string) => {
      const account = { email, password: 'correct horse' }
      await send('POST', '/users', account)
      return (await send('POST', '/tokens', account)).status
    }
    assert.deepEqual([await signIn('ann@example.com'), await signIn('ann@corp.example')], [201, 403])
  })

  test('a transaction makes all of its writes or none', async (t) => {
    const { send } = await serve(t, 'Transactions')
    const open = async (name: string, balance: number) => (await send('POST', '/accounts', { name, balance })).body.id
    const [from, to] = [await open('Ann', 10), await open('Bob', 0)]
    const transfer = (amount: number) => send('POST', '/transfer-requests', { from, to, amount })
    const made = await transfer(7)
    assert.deepEqual([made.status, made.body.balance], [200, 3])
    const refused = await transfer(7)
    assert.deepEqual([refused.status, refused.body.detail], [409, 'Ann has only 3.'])
    assert.equal((await send('GET', `/accounts/${to}`)).body.balance, 7)
  })

  test('hooks refuse a write, and write more in its transaction', async (t) => {
    const { send } = await serve(t, 'Hooks')
    const { id } = (await send('POST', '/posts', { title: 'Knots', status: 'PUBLISHED' })).body
    const refused = await send('PATCH', `/posts/${id}`, { title: 'Ropes' })
    assert.deepEqual([refused.status, refused.body.code], [409, 'CONFLICT'])
    await send('POST', '/comments', { body: 'Nice.', post: id })
    assert.equal((await send('GET', `/notices?about=${id}`)).body.length, 1)
  })

  test('a change handler calls another service', { timeout: 60_000 }, async (t) => {
    const port = await freePort()
    const mail = createServer().listen(port, '127.0.0.1')
    t.after(() => mail.close())
    const config = join(folderOf('Change handlers'), 'twain.config.ts')
    writeFileSync(config, readFileSync(config, 'utf8').replace(mailService, `http://127.0.0.1:${port}`))
    const { send } = await serve(t, 'Change handlers')
    const called = once(mail, 'request')
    const { id } = (await send('POST', '/posts', { title: 'Knots' })).body
    await send('POST', '/comments', { body: 'Nice.', post: id })
    const [request, response] = (await called) as [IncomingMessage, { end(): void }]
    response.end()
    assert.match(String(request.headers['idempotency-key']), /^[0-9a-f]+:[\w-]+$/)
  })

  test('a background job runs after its transaction, once for a key', async (t) => {
    const { send } = await serve(t, 'Background jobs')
    const { id } = (await send('POST', '/posts', { title: 'Knots' })).body
    await send('POST', '/comments', { body: 'Nice.', post: id })
    const notices = async () => (await send('GET', `/notices?about=${id}`)).body.length
    for (const end = performance.now() + 20_000; (await notices()) === 0 && performance.now() < end; ) await sleep(20)
    assert.equal(await notices(), 1)
  })

  async function serve(t: { after(end: () => unknown): void }, chapter: string) {
    const data = join(folderOf(chapter), 'data')
    const server = await ServerProcess.start(join(folderOf(chapter), 'schema.graphql'), data)
    t.after(() => server.stop())
    const send = async (method: string, path: string, body?: object, token?: string) => {
      const reply = await fetch(server.address + path, {
        method,
        headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
        ...(body && { body: JSON.stringify(body) }),
      })
      return { status: reply.status, body: (await reply.json()) as Shown }
    }
    return { send, address: server.address }
  }
})

/** Each TypeScript block, by the title of its chapter. */
function examplesOf(text: string): Example[] {
  const found: Example[] = []
  let chapter = ''
  let sdl = ''
  for (const [, title, language, block = ''] of text.matchAll(/^##? (.*)$|^```(graphql|ts)\n([\s\S]*?)^```$/gm)) {
    if (title !== undefined) chapter = title
    else if (language === 'graphql') sdl = block
    else found.push({ chapter, code: block, sdl })
  }
  return found
}
