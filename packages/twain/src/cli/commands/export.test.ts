// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { bodyText, plainRequest } from '#base/http'
import { openService } from '#main'
import { defaultLimits } from '#plan'
import { makeTestPlace } from '#test-place'
import { command } from '../command.fixture.ts'

const sdl = `
type User @account @allow(role: "admin") {
  id: ID!
  email: String! @unique
  roles: [String!]! @default(value: [])
  best: Thing
  friends: [User!]!
  friendsOf: [User!]! @relation(inverse: "friends")
  joinedAt: DateTime! @auto(set: CREATE_TIME)
}
interface Named { id: ID! name: String }
type Thing implements Named @allow(role: "admin") {
  id: ID!
  name: String @default(value: "none")
  owner: User! @auto(set: VIEWER)
  int: Int
  float: Float
  flag: Boolean
  key: ID
  at: DateTime
  day: Date
  time: Time
  json: JSON
  decimal: Decimal
  big: BigInt
  url: Url
  state: State! @default(value: NEW)
  states: [State!]
  size: Size
  sizes: [Size!]
  picture: File
  papers: [File!]!
  on: Named
  about: [Named!]!
  updatedAt: DateTime! @auto(set: UPDATE_TIME)
}
type Note implements Named @allow(role: "admin") { id: ID! name: String }
scalar Url
enum State { NEW @next(to: [OLD]) OLD }
type Size { width: Int! height: Float label: String }
`

const log = { info() {}, warn() {}, error() {} }

test('export, import into an empty database and export again give equal bytes', async (t) => {
  const first = await place(t)
  await fill(first)
  let source = first
  for (const format of ['csv', 'json']) {
    const target = await place(t)
    const [folder, again] = [target.path('from'), target.path('again')]
    assert.equal((await source.run('export', '-o', folder, '--format', format)).code, 0)
    const imported = await target.run('import', folder)
    assert.deepEqual([imported.code, imported.err], [0, ''], format)
    assert.match(imported.out, /Thing\.(csv|json): imported 4 Thing in/)
    assert.equal((await target.run('export', '--to', again, '--format', format)).code, 0)
    assert.deepEqual(contents(again), contents(folder), format)
    source = target
  }
  const [before, after] = [first.path('before'), first.path('after')]
  assert.equal((await first.run('export', '--to', before)).code, 0)
  assert.equal((await source.run('export', '--to', after)).code, 0)
  assert.deepEqual(contents(after), contents(before))
  assert.match(contents(after)['/User.ndjson']!, /"zoe@example\.org".*"_lockedAt":"\d/)
})

test('the list of files of an import names no file beside it', async (t) => {
  const target = await place(t)
  const folder = target.path('from')
  mkdirSync(join(folder, 'files'), { recursive: true })
  writeFileSync(target.path('secret'), 'of the operator')
  for (const id of ['../../secret', target.path('secret'), '..', '', 7]) {
    const file = { id, name: 'a.txt', mediaType: 'text/plain' }
    writeFileSync(join(folder, 'File.ndjson'), `${JSON.stringify(file)}\n`)
    const { code, err } = await target.run('import', folder)
    assert.notEqual(code, 0)
    assert.match(err, /is not the id of a file/)
  }
})

test('one type goes to stdout or to a file, in the format of its name', async (t) => {
  const source = await place(t)
  await source.send('PUT', '/notes/a', { name: 'x "y"' })
  await source.close()
  const out = await source.run('export', '--type', 'Note', '--format', 'csv')
  assert.deepEqual([out.code, out.out], [0, 'id,name\r\na,"x ""y"""\r\n'])
  const file = source.path('notes.json')
  assert.equal((await source.run('export', '--type', 'Note', '--to', file)).code, 0)
  assert.equal(readFileSync(file, 'utf8'), '[\n{"id":"a","name":"x \\"y\\""}\n]\n')
  const folder = await source.run('export', '--to', source.path('.'))
  assert.equal(folder.code, 1)
  assert.match(folder.err, /is not empty/)
  assert.equal((await source.run('export')).code, 2)
  assert.match((await source.run('export', '--type', 'Nte')).err, /Did you mean "Note"\?/)
})

async function fill(source: Place): Promise<void> {
  const { send } = source
  const files: string[] = []
  for (const bytes of ['first', '', 'a\r\nb']) {
    const reply = await send('POST', '/files?name=a%22b.txt', bytes, { 'content-type': 'text/plain' })
    files.push(reply.id)
  }
  for (const id of ['ann', 'bob', 'zoe'])
    await send('PUT', `/users/${id}`, { email: `${id}@example.org`, roles: ['x,y', ''] })
  await send('PUT', '/notes/n1', { name: null })
  await send('PUT', '/notes/t1', { name: '' })
  const texts = ['', ' a ', 'x,"y"\r\nz', '=1+1', 'null', '\u{1f600}ü', 'true']
  const json = [1, '1', 'text', true, { b: [1, null], a: '"' }, [], 'null']
  for (const [n, name] of texts.slice(0, 3).entries()) {
    await send('PUT', `/things/t${n + 1}`, {
      name,
      owner: 'ann',
      int: -n,
      float: [0.1, 1e21, -5e-7][n],
      flag: n === 1,
      key: '007',
      at: '2020-02-29T23:59:59.123Z',
      day: '0001-01-01',
      time: '09:30:00.25',
      json: json[n],
      decimal: '-12345678901234567890.120',
      big: '9007199254740993',
      url: json[n + 3],
      state: n === 2 ? 'OLD' : 'NEW',
      states: n === 0 ? [] : ['OLD', 'NEW'],
      size: n === 1 ? null : { width: 1, height: null, label: '' },
      sizes: n === 1 ? null : [{ width: 2, height: 1.5, label: texts[n + 3] }],
      picture: files[n],
      papers: [files[2 - n]],
      on: n === 0 ? 'Note:t1' : 'Thing:t1',
      about: n === 0 ? [] : ['Note:n1', 'Thing:t1'],
    })
  }
  await send('PUT', '/things/u', { owner: 'bob', name: null })
  await send('PATCH', '/things/t1', { about: ['Note:n1', 'Thing:t1', 'Thing:u'], on: 'Thing:u' })
  await send('PATCH', '/users/ann', { best: 't3', friends: ['zoe', 'bob'] })
  await send('PATCH', '/users/zoe', { friends: ['ann'], _locked: true })
  await source.close()
}

function contents(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = names.map((entry) => join(entry.parentPath, entry.name)).sort()
  return Object.fromEntries(paths.map((path) => [path.slice(folder.length), readFileSync(path, 'latin1')]))
}

type Place = Awaited<ReturnType<typeof place>>

async function place(t: TestContext) {
  const data = mkdtempSync(join(tmpdir(), 'twain-export-'))
  const { flags, place: options, drop } = await makeTestPlace(data)
  t.after(async () => {
    await close()
    await drop()
    rmSync(data, { recursive: true })
  })
  const schemaFile = join(data, 'schema.graphql')
  writeFileSync(schemaFile, sdl)
  const open = () => openService({ ...options, schemaFile, limits: defaultLimits, log })
  let opened: ReturnType<typeof open> | null = null
  async function close() {
    await (await opened)?.close()
    opened = null
  }
  return {
    path: (name: string) => join(data, name),
    close,
    run: (...words: string[]) => command(words[0]!, ...words.slice(1), '--schema', schemaFile, ...flags),
    // biome-ignore lint/suspicious/noExplicitAny: the JSON of a test
    async send(method: string, target: string, body: unknown, headers: Record<string, string> = {}): Promise<any> {
      opened ??= open()
      const service = await opened
      const sent = typeof body === 'string' ? body : JSON.stringify(body)
      const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'
      const request = plainRequest(method, target, { headers: { 'content-type': type, ...headers }, body: sent })
      const reply = await service.handleAsSystem(request)
      const text = await bodyText(reply)
      assert.ok(reply.status < 300, `${method} ${target}: ${text}`)
      return text === '' ? null : JSON.parse(text)
    },
  }
}
