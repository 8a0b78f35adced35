// Change handlers of custom code (`on`): called in order, at least once, by one node, across restarts.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { plainRequest } from '../../packages/twain/src/base/http/index.ts'
import { openService, type Service } from '../../packages/twain/src/main/index.ts'
import { defaultLimits } from '../../packages/twain/src/plan/index.ts'
import { makeTestPlace, testedStore } from '../../packages/twain/src/store/test-place.fixture.ts'

const sdl = `
  type Post @allow { id: ID! title: String! place: Place tags: [String!] comments: [Comment!]! }
  type Place { city: String! }
  type Comment @allow { id: ID! body: String! post: Post! @relation(onDelete: CASCADE) }
  type Note @allow { id: ID! text: String! }
`

interface HandledChange {
  kind: string
  id: string
  version: number
  row: Record<string, unknown> | null
  before: Record<string, unknown> | null
  by: string | null
  via: string | null
  cursor: string
}

/** The config file is a module of its own, and calls this global function. */
type Handle = (type: string, change: HandledChange, context: { system: { write: Record<string, unknown> } }) => unknown
const handling = globalThis as typeof globalThis & { handleChange?: Handle }

const code = `const onChange = (type) => (event, context) => globalThis.handleChange(type, event, context)
export default { on: { Post: onChange('Post'), Comment: onChange('Comment') } }
`

test('a handler gets each change in order, with the row as of the change', async (t) => {
  const { open } = await setUp(t)
  const { received, until } = listen(t)
  const service = await open()
  const post = await write(service, 'POST', '/posts', { title: 'one' })
  await write(service, 'POST', '/notes', { text: 'no handler for this type' })
  await write(service, 'PATCH', `/posts/${post.id}`, { title: 'two' })
  const comment = await write(service, 'POST', '/comments', { body: 'hm', post: post.id })
  await write(service, 'DELETE', `/posts/${post.id}`)
  await until(5)
  const calls = received.map(([type, { kind, id, version, row }]) => [type, kind, id, version, row])
  assert.deepEqual(calls.slice(0, 3), [
    ['Post', 'created', post.id, 1, { id: post.id, title: 'one', place: null, tags: null, _version: 1 }],
    ['Post', 'updated', post.id, 2, { id: post.id, title: 'two', place: null, tags: null, _version: 2 }],
    ['Comment', 'created', comment.id, 1, { id: comment.id, body: 'hm', post: post.id, _version: 1 }],
  ])
  const deleted = calls.slice(3).map(([type, kind, , , row]) => [type, kind, row])
  assert.deepEqual(deleted.toSorted(), [
    ['Comment', 'deleted', null],
    ['Post', 'deleted', null],
  ])
})

test('a handler gets the row before the change, and who made it through which client', async (t) => {
  const { open } = await setUp(t)
  const { received, until } = listen(t)
  const service = await open({ http: { origin: 'https://twain.example' } })
  const post = await write(service, 'POST', '/posts', { title: 'one', place: { city: 'Rome' }, tags: ['a'] })
  await write(service, 'PATCH', `/posts/${post.id}`, { title: 'two', tags: null }, { 'user-agent': 'editor' })
  const comment = await write(service, 'POST', '/comments', { body: 'hm', post: post.id })
  await write(service, 'DELETE', `/posts/${post.id}`)
  await until(5)
  const [created, updated] = received.map(([, change]) => change)
  const first = { id: post.id, title: 'one', place: { city: 'Rome' }, tags: ['a'] }
  const second = { ...first, title: 'two', tags: null }
  assert.deepEqual([created!.before, created!.row], [null, { ...first, _version: 1 }])
  assert.deepEqual([updated!.before, updated!.row], [first, { ...second, _version: 2 }])
  assert.deepEqual([updated!.by, updated!.via], ['anonymous', 'editor'])
  const deleted = new Map(received.slice(3).map(([type, { kind, before, row }]) => [type, { kind, before, row }]))
  assert.deepEqual(deleted.get('Post'), { kind: 'deleted', before: second, row: null })
  const gone = { id: comment.id, body: 'hm', post: post.id }
  assert.deepEqual(deleted.get('Comment'), { kind: 'deleted', before: gone, row: null })
})

test('after a restart a handler gets the changes that it missed, and none twice', async (t) => {
  const { open, setCode } = await setUp(t)
  const { received, until } = listen(t)
  const first = await open()
  await write(first, 'POST', '/posts', { title: 'seen' })
  await until(1)
  await first.close()
  setCode('export default {}\n')
  const without = await open()
  await write(without, 'POST', '/posts', { title: 'missed' })
  await without.close()
  setCode(code)
  const again = await open()
  await write(again, 'POST', '/posts', { title: 'new' })
  await until(3)
  assert.deepEqual(titles(received), ['seen', 'missed', 'new'])
})

test('a change whose handler fails is retried, and later changes wait for it', async (t) => {
  const { open } = await setUp(t)
  let failures = 2
  const { received, until } = listen(t, (change) => {
    if (change.row?.title === 'hard' && failures-- > 0) throw new Error('not now')
  })
  const service = await open()
  await write(service, 'POST', '/posts', [{ title: 'easy' }, { title: 'hard' }, { title: 'last' }])
  await until(5)
  assert.deepEqual(titles(received), ['easy', 'hard', 'hard', 'hard', 'last'])
})

test('one of several nodes calls the handler, and another takes over when it stops', async (t) => {
  if (testedStore === 'sqlite') return t.skip('one file has one server')
  const { open } = await setUp(t)
  const { received, until } = listen(t)
  const nodes = [await open(), await open()]
  for (let n = 0; n < 20; n++) await write(nodes[n % 2]!, 'POST', '/posts', { title: `${n}` })
  await until(20)
  await nodes[0]!.close()
  for (let n = 20; n < 30; n++) await write(nodes[1]!, 'POST', '/posts', { title: `${n}` })
  await until(30)
  await sleep(200)
  assert.deepEqual(
    titles(received),
    Array.from({ length: 30 }, (_, n) => `${n}`),
  )
})

async function setUp(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'twain-on-'))
  const { place, drop } = await makeTestPlace(join(folder, 'data'))
  const schemaFile = join(folder, 'schema.graphql')
  const setCode = (text: string) => writeFileSync(join(folder, 'twain.config.ts'), text)
  writeFileSync(schemaFile, sdl)
  setCode(code)
  const services: Service[] = []
  t.after(async () => {
    for (const service of services) await service.close()
    await drop()
    rmSync(folder, { recursive: true })
  })
  const log = { info() {}, warn() {}, error() {} }
  const open = async (options: Partial<Parameters<typeof openService>[0]> = {}) => {
    const service = await openService({ schemaFile, ...place, limits: defaultLimits, log, ...options })
    services.push(service)
    return service
  }
  return { open, setCode }
}

function listen(t: TestContext, take: (change: HandledChange) => unknown = () => {}) {
  const received: [string, HandledChange][] = []
  handling.handleChange = (type, change) => {
    received.push([type, change])
    return take(change)
  }
  t.after(() => {
    delete handling.handleChange
  })
  const until = async (count: number) => {
    for (let waited = 0; received.length < count; waited += 20) {
      assert.ok(waited < 60_000, `only ${received.length} of ${count} came: ${JSON.stringify(received)}`)
      await sleep(20)
    }
  }
  return { received, until }
}

function titles(received: readonly [string, HandledChange][]): unknown[] {
  return received.map(([, { row }]) => row?.title)
}

async function write(
  service: Service,
  method: string,
  path: string,
  body?: unknown,
  fields: Record<string, string> = {},
): Promise<{ id: string }> {
  const headers = { 'content-type': 'application/json', ...fields }
  const request = plainRequest(method, path, body === undefined ? { headers } : { headers, body: JSON.stringify(body) })
  const reply = await service.handle(request)
  assert.ok(reply.status < 300, String(reply.body))
  return reply.body ? JSON.parse(String(reply.body)) : { id: '' }
}
