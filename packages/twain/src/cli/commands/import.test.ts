// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { bodyText, plainRequest } from '#base/http'
import { openService } from '#main'
import { defaultLimits } from '#plan'
import { makeTestPlace, testedStore } from '#test-place'
import { command } from '../command.fixture.ts'
import { listenNear } from './serve.ts'

const sdl = `
type User @account @allow(role: "admin") {
  id: ID!
  email: String! @unique @constraint(format: "email")
  name: String! @constraint(minLength: 2)
  joinedAt: DateTime! @auto(set: CREATE_TIME)
  posts: [Post!]!
  best: Post
}
type Post @allow(role: "admin") {
  id: ID!
  slug: String! @unique
  title: String
  state: State! @default(value: DRAFT)
  size: Size
  words: Int! @default(value: 7)
  public: Boolean
  data: JSON
  author: User! @auto(set: VIEWER)
  parent: Post @immutable
  first: Post
  tags: [Tag!]!
  updatedAt: DateTime! @auto(set: UPDATE_TIME)
}
enum State { DRAFT @next(to: [DONE]) DONE }
type Size { width: Int height: Int }
type Tag @allow(role: "admin") { id: ID! name: String! posts: [Post!]! }
`

const log = { info() {}, warn() {}, error() {} }

test('a CSV file becomes rows, with other names of columns, times of its own and accounts without a password', async (t) => {
  const { run, write, read } = await place(t)
  write(
    'users.csv',
    'E-mail;Full name;joinedAt;Notes\r\nann@example.org;"Ann ""A"" B";2020-01-02T03:04:05Z;x\r\nbob@example.org;Bob;;\r\n',
  )
  const map = ['--map', 'E-mail=email', '--map', 'Full name=name', '--map', 'Notes=']
  const made = await run('users.csv', '--type', 'User', ...map)
  assert.deepEqual([made.code, made.err], [0, ''])
  assert.match(made.out, /users\.csv: imported 2 User in/)
  const users = await read('/users?sort=email&fields=email,name,joinedAt')
  assert.deepEqual(users[0], { email: 'ann@example.org', name: 'Ann "A" B', joinedAt: '2020-01-02T03:04:05.000Z' })
  assert.equal(users[1].name, 'Bob')
  assert.notEqual(users[1].joinedAt, null)
})

test('a dry run names every bad row of the file with its line, and writes nothing', async (t) => {
  const { run, write, read, addUser } = await place(t)
  await addUser()
  write(
    'posts.ndjson',
    [
      '{"id":"1","slug":"a","author":"ann","words":"many","titel":"x"}',
      '{"id":"2","slug":"b","author":"ann"}',
      '{"id":"3","slug":"c"}',
      'no json',
      '{"id":"4","slug":"taken","author":"nobody"}',
      '{"id":"5","slug":"b","author":"ann"}',
      '{"id":"6","slug":"d","author":"ann","first":"7"}',
      '{"id":"7","slug":"e","author":"ann","first":"gone"}',
      '{"id":"7","slug":"f","author":"ann"}',
      '{"id":"a/b?","slug":"","author":"ann","state":"NONE"}',
    ].join('\n'),
  )
  const dry = await run('posts.ndjson', '--type', 'Post', '--keep-ids', '--dry-run')
  assert.equal(dry.code, 1)
  const lines = dry.err.trimEnd().split('\n')
  assert.deepEqual(
    lines.map((line) => line.split(':').slice(0, 2).join(':')),
    [
      'line 1: titel',
      'line 3: author',
      'line 4: This is not valid JSON',
      'line 5: author',
      'line 6: slug',
      'line 9: id',
      'line 10: state',
      'line 8: first',
    ],
  )
  assert.match(dry.out, /8 bad rows, 2 good\. Nothing was written\./)
  assert.deepEqual(await read('/posts'), [])
})

test('unknown columns are named at once, and a column of ids needs a decision', async (t) => {
  const { run, write } = await place(t)
  write('users.csv', 'id,emial,password,posts\n1,a@example.org,secret,2\n')
  const refused = await run('users.csv', '--type', 'User')
  assert.equal(refused.code, 2)
  for (const part of [
    '--keep-ids',
    '"emial" is not a field of User. Did you mean',
    'Passwords are not imported',
    '"posts" is the other side',
  ])
    assert.ok(refused.err.includes(part), `${part} in ${refused.err}`)
  const unknown = await run('users.csv', '--type', 'Usr')
  assert.match(unknown.err, /There is no type "Usr" with rows\. Did you mean "User"\?/)
  const missing = await run('users.txt')
  assert.equal(missing.code, 2)
  assert.match(missing.err, /--type TYPE is missing/)
  assert.match(missing.err, /--format csv, ndjson or json/)
  assert.match(missing.err, /can't be read/)
})

test('cells become values of the types of their fields', async (t) => {
  const { run, write, read, addUser } = await place(t)
  await addUser()
  write('tags.json', '[{"id": "t1", "name": "sea"}, {"id": "t2", "name": "land"}]')
  write(
    'posts.csv',
    'slug,title,state,size.width,size.height,words,public,data,author,tags\n' +
      'a,"",DONE,3,,12,TRUE,"{""x"":[1]}",ann,"t1,t2"\n' +
      'b,,DRAFT,,,,,,ann,"[""t2""]"\n',
  )
  assert.equal((await run('tags.json', '--type', 'Tag', '--keep-ids')).code, 0)
  const made = await run('posts.csv', '--type', 'Post')
  assert.deepEqual([made.code, made.err], [0, ''])
  assert.deepEqual(await read('/posts?sort=slug&fields=title,state,size,words,public,data,author,tags.name'), [
    {
      title: '',
      state: 'DONE',
      size: { width: 3, height: null },
      words: 12,
      public: true,
      data: { x: [1] },
      author: 'ann',
      tags: [{ name: 'sea' }, { name: 'land' }],
    },
    {
      title: null,
      state: 'DRAFT',
      size: null,
      words: 7,
      public: null,
      data: null,
      author: 'ann',
      tags: [{ name: 'land' }],
    },
  ])
})

test('rows may refer to later rows of the file, and keep their times', async (t) => {
  const { run, write, read, addUser } = await place(t)
  await addUser()
  const rows = Array.from({ length: 90 }, (_, n) => ({
    id: `p${n}`,
    slug: `s${n}`,
    author: 'ann',
    parent: n < 89 ? `p${n + 1}` : null,
    first: `p${89 - n}`,
    updatedAt: '2021-01-01T00:00:00.000Z',
  }))
  write('posts.ndjson', rows.map((row) => JSON.stringify(row)).join('\n'))
  const made = await run('posts.ndjson', '--type', 'Post', '--keep-ids')
  assert.deepEqual([made.code, made.err], [0, ''])
  const stored = (await read('/posts?limit=100&fields=id,slug,author,parent,first,updatedAt')) as { id: string }[]
  assert.deepEqual(new Map(stored.map((row) => [row.id, row])), new Map(rows.map((row) => [row.id, row])))
  const again = await run('posts.ndjson', '--type', 'Post', '--keep-ids')
  assert.match(again.out, /nothing is left to import; its 90 rows were imported before/)
})

test('a required reference to a later row, and a reference to nothing, are named', async (t) => {
  const { run, write, read } = await place(t)
  write('posts.ndjson', '{"id":"1","slug":"a","author":"nobody"}\n')
  const refused = await run('posts.ndjson', '--type', 'Post', '--keep-ids')
  assert.equal(refused.code, 1)
  assert.match(refused.err, /^line 1: author: There is no User with the id "nobody"\./)
  write('users.json', '[{"id":"ann","email":"ann@example.org","name":"Ann","best":"nothing"}]')
  const waiting = await run('users.json', '--type', 'User', '--keep-ids')
  assert.equal(waiting.code, 1)
  assert.match(waiting.err, /^line 1: best: There is no Post with the id "nothing"\./)
  assert.match(waiting.out, /imported 1 User/)
  assert.deepEqual((await read('/users?fields=id,best')) as unknown, [{ id: 'ann', best: null }])
})

test('an import goes on where it stopped, with the file corrected from there on', async (t) => {
  const { run, write, read } = await place(t)
  const good = Array.from({ length: 60 }, (_, n) => `u${n}@example.org,User ${n}`)
  write('users.csv', ['email,name', ...good, 'u60@example.org,X', 'u61@example.org,User 61', ''].join('\n'))
  const failed = await run('users.csv', '--type', 'User')
  assert.equal(failed.code, 1)
  assert.equal(failed.err, 'line 62: name: must have at least 2 characters (it has 1).\n')
  assert.match(failed.out, /1 bad row; imported 50 User, up to line 52\./)
  write('users.csv', ['email,name', ...good, 'u60@example.org,Xy', 'u61@example.org,User 61', ''].join('\n'))
  const more = await run('users.csv', '--type', 'User')
  assert.match(more.out, /imported 12 User in .* 50 were imported before/)
  assert.equal((await read('/users?limit=100&fields=id')).length, 62)
  write('users.csv', ['email,name', ...good.slice(1), ''].join('\n'))
  const other = await run('users.csv', '--type', 'User')
  assert.equal(other.code, 2)
  assert.match(other.err, /differs from the one whose first 62 rows were imported/)
})

test('--on-conflict changes the rows that have the key, and creates the others', async (t) => {
  const { run, write, read, addUser } = await place(t)
  await addUser()
  write('posts.csv', 'slug,title,author,words\nknots,Knots,ann,1\nropes,Ropes,ann,2\n')
  assert.equal((await run('posts.csv', '--type', 'Post')).code, 0)
  const [before] = await read('/posts?slug=knots&fields=id,_version')
  write('more.csv', 'slug,title,author\nknots,More knots,ann\nsails,Sails,ann\nsails,White sails,ann\n')
  const refused = await run('more.csv', '--type', 'Post')
  assert.equal(refused.code, 1)
  const dry = await run('more.csv', '--type', 'Post', '--on-conflict', 'slug', '--dry-run')
  assert.deepEqual([dry.code, dry.err], [0, ''])
  const made = await run('more.csv', '--type', 'Post', '--on-conflict', 'slug')
  assert.deepEqual([made.code, made.err], [0, ''])
  assert.deepEqual(await read('/posts?sort=slug&fields=slug,title,words'), [
    { slug: 'knots', title: 'More knots', words: 1 },
    { slug: 'ropes', title: 'Ropes', words: 2 },
    { slug: 'sails', title: 'White sails', words: 7 },
  ])
  const [after] = await read('/posts?slug=knots&fields=id,_version')
  assert.deepEqual([after.id, after._version > before._version], [before.id, true])
  write('bad.csv', 'title,author\nNo key,ann\n')
  const bad = await run('bad.csv', '--type', 'Post', '--on-conflict', 'slug')
  assert.deepEqual([bad.code, bad.err.split('\n')[0]], [1, 'line 2: slug: is required.'])
  const unknown = await run('more.csv', '--type', 'Post', '--on-conflict', 'title')
  assert.equal(unknown.code, 2)
  assert.match(unknown.err, /--on-conflict: "title" is not a unique key; there is slug\./)
  const both = await run('more.csv', '--type', 'Post', '--on-conflict', 'slug', '--keep-ids')
  assert.match(both.err, /Say one of them/)
})

test('rows go through the server that runs on the data folder', {
  skip: testedStore === 'postgres' && 'there the import needs no server',
}, async (t) => {
  const { run, write, schemaFile, options } = await place(t)
  const service = await openService({ ...options, schemaFile, limits: defaultLimits, log })
  t.after(() => service.close())
  write('users.csv', 'email,name\nann@example.org,Ann\n')
  const unreachable = await run('users.csv', '--type', 'User', '--port', '1')
  assert.equal(unreachable.code, 1)
  assert.match(unreachable.err, /^error The server at http:\/\/127\.0\.0\.1:1 does not answer\./)
  const server = await listenNear(
    { handle: service.handle, sockets: service.sockets, port: 0, host: '127.0.0.1', log, body: 0, time: 0 },
    false,
  )
  t.after(() => server.close())
  const made = await run('users.csv', '--type', 'User', '--port', String(server.port))
  assert.deepEqual([made.code, made.err], [0, ''])
  const reply = await service.handleAsSystem(plainRequest('GET', '/users?fields=name'))
  assert.deepEqual(JSON.parse(await bodyText(reply)), [{ name: 'Ann' }])
  const anonymous = await fetch(`http://127.0.0.1:${server.port}/-/imports`)
  assert.equal(anonymous.status, 401)
})

async function place(t: TestContext) {
  const data = mkdtempSync(join(tmpdir(), 'twain-import-'))
  const { flags, place: options, drop } = await makeTestPlace(data)
  t.after(async () => {
    await drop()
    rmSync(data, { recursive: true })
  })
  const schemaFile = join(data, 'schema.graphql')
  writeFileSync(schemaFile, sdl)
  const write = (name: string, text: string) => writeFileSync(join(data, name), text)
  const run = (file: string, ...more: string[]) =>
    command('import', join(data, file), '--schema', schemaFile, ...flags, ...more)
  return {
    schemaFile,
    options,
    write,
    run,
    // biome-ignore lint/suspicious/noExplicitAny: the JSON of a test
    async read(target: string): Promise<any> {
      const service = await openService({ ...options, schemaFile, limits: defaultLimits, log })
      try {
        const reply = await service.handleAsSystem(plainRequest('GET', target))
        return JSON.parse(await bodyText(reply))
      } finally {
        await service.close()
      }
    },
    async addUser() {
      write('ann.json', '{"id": "ann", "email": "ann@example.org", "name": "Ann"}')
      assert.equal((await run('ann.json', '--type', 'User', '--keep-ids')).code, 0)
    },
  }
}
