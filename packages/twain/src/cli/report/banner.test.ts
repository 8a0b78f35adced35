import assert from 'node:assert/strict'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { loadModel } from '#model'
import { banner, callerOf, type ServedService } from './banner.ts'
import { createPaint } from './paint.ts'

const model = loadModel(
  'extend schema @service(name: "Shop") type Item { id: ID! } type Shelf { id: ID! }',
  'a.graphql',
)

test('shows name, addresses, data, resources, and that everyone has access', () => {
  const text = print({ server: { host: '127.0.0.1', port: 4000 } })
  assert.match(text, /^Shop is served$/m)
  assert.match(text, /Browser +http:\/\/127\.0\.0\.1:4000\/$/m)
  assert.match(text, /REST +http:\/\/127\.0\.0\.1:4000 +e\.g\. http:\/\/127\.0\.0\.1:4000\/items$/m)
  assert.match(text, /GraphQL +http:\/\/127\.0\.0\.1:4000\/graphql$/m)
  assert.match(text, /Docs +http:\/\/127\.0\.0\.1:4000\/docs$/m)
  assert.match(text, /Data +\.\/data$/m)
  assert.match(text, /Resources +2$/m)
  assert.match(text, /Everyone who can reach this address can read and write: /)
  assert.doesNotMatch(text, /is taken|Console/)
  const link = 'http://127.0.0.1:4000/console#key=k'
  assert.match(print({ consoleLink: link }), /Console +http:\/\/127\.0\.0\.1:4000\/console#key=k +signs you in, once$/m)
})

test('warns about guessable unique fields', () => {
  const guessed = loadModel('type A @allow { id: ID! code: String @unique @allow(role: "x", to: [READ]) }', 'a.graphql')
  const text = print({ model: guessed })
  assert.match(text, /guess +Unique fields reveal .* may write but not read them: A\.code \(nobody, operator\)$/m)
  assert.doesNotMatch(print({}), /guess/)
})

test('warns about roles that no account can have', () => {
  const sdl = `type User @account @allow(role: "STAF") { id: ID! email: String! @unique role: Role } enum Role { STAFF }`
  const text = print({ model: loadModel(sdl, 'a.graphql') })
  assert.match(
    text,
    /^ {2}role +a\.graphql:1 No account can have the role "STAF": Role has no such value\. Did you mean/m,
  )
})

test('shows that another port is used', () => {
  assert.match(print({ server: { host: '127.0.0.1', port: 4001 } }), /Port 4000 is taken; using 4001\./)
})

test('shows an address that opens in a browser, also if the server listens on all addresses', () => {
  assert.match(print({ server: { host: '0.0.0.0', port: 4000 } }), /http:\/\/localhost:4000\/graphql/)
  assert.match(print({ server: { host: '::1', port: 4000 } }), /http:\/\/\[::1\]:4000\/graphql/)
})

test('shows who has access, and how the operator gets a token', () => {
  const sdl = `type User @account @allow(to: [READ]) { id: ID!, email: String! @unique } type Secret { id: ID! }`
  const closed = print({ model: loadModel(sdl, 'a.graphql') })
  assert.match(closed, /closed {2}The rules of the schema apply; without rules, so only for role admin: Secret\./)
  assert.match(closed, /Get a token: twain token --role admin --data \.\/data$/m)
  const byNpm = print({ model: loadModel(sdl, 'a.graphql'), caller: callerOf({ npm_command: 'start' }) })
  assert.match(byNpm, /Get a token: npx twain token --role admin --data \.\/data$/m)
  const half = print({ model: loadModel('type A @allow(to: [READ]) { id: ID! } type B { id: ID! }', 'a.graphql') })
  assert.match(half, /can read and write B: /)
})

test('says that nobody has the role admin, and how the first gets an account', () => {
  const sdl = (login: string) =>
    loadModel(
      `type User @account(login: "${login}") @allow { id: ID! ${login}: String! @unique roles: [String!] }`,
      'a.graphql',
    )
  assert.doesNotMatch(print({ model: sdl('email') }), /role admin\.? Invite/)
  const text = print({ model: sdl('email'), lacksAdmin: 'schema.graphql' })
  const command = 'twain invite EMAIL --role admin --schema schema.graphql --data ./data'
  assert.match(text, new RegExp(`^ {2}admin   No User has the role admin\\. Invite the first: ${command}$`, 'm'))
  assert.match(
    print({ model: sdl('handle'), lacksAdmin: 'a' }),
    /No User has the role admin\. A token of the role gives it\.$/m,
  )
})

test('shows who may call custom operations without rules', () => {
  const operations = 'extend type Query { sum: Int @allow } extend type Mutation { b: Int }'
  const account = 'type User @account @allow(to: [READ]) { id: ID!, email: String! @unique }'
  const closed = print({ model: loadModel(`${account} ${operations}`, 'a.graphql') })
  assert.match(closed, /; without rules, so only for role admin: Mutation\.b\./)
  const open = print({ model: loadModel(`type A @allow { id: ID! } ${operations}`, 'a.graphql') })
  assert.match(open, /Everyone who can reach this address can call Mutation\.b: /)
  const all = print({ model: loadModel(`type A { id: ID! } ${operations}`, 'a.graphql') })
  assert.match(all, /can read and write and call Mutation\.b: /)
})

test('shows how to sign up and in, and which references may be null', () => {
  const sdl = `
    type User @account @allow(who: "signedIn", to: [READ]) @allow(to: [CREATE]) {
      id: ID! email: String! @unique name: String! bio: String
    }
    type Note @allow { id: ID! by: User! }`
  const text = print({ model: loadModel(sdl, 'a.graphql'), server: { host: '127.0.0.1', port: 4000 } })
  assert.match(
    text,
    /Sign up +curl http:\/\/127\.0\.0\.1:4000\/users --json '\{"email": "…", "name": "…", "password": "…"\}'$/m,
  )
  assert.match(text, /Sign in +curl http:\/\/127\.0\.0\.1:4000\/tokens --json '\{"email": "…", "password": "…"\}'/)
  assert.match(text, /^ {2}null .*: Note\.by$/m)
  const closed = print({ model: loadModel('type User @account { id: ID! email: String! @unique }', 'a.graphql') })
  assert.doesNotMatch(closed, /Sign up/)
  assert.doesNotMatch(closed, /null/)
})

function print(served: Partial<ServedService>): string {
  const standard: ServedService = {
    model,
    server: { host: '', port: 0 },
    basePath: '',
    data: './data',
    requestedPort: 4000,
    caller: callerOf({}),
    consoleLink: null,
    lacksAdmin: null,
  }
  return banner({ ...standard, ...served }, createPaint(false))
}

const here = process.cwd()

test('commands use twain if the user called twain', () => {
  const { twain, place } = callerOf({ INIT_CWD: '/elsewhere' })
  assert.deepEqual([twain, place('./data')], ['twain', './data'])
})

test('commands use npx twain under npm, with paths relative to the folder of the user', () => {
  for (const command of ['start', 'run-script', 'exec']) {
    const { twain, place } = callerOf({ npm_command: command, INIT_CWD: here })
    assert.deepEqual([twain, place('./data')], ['npx twain', './data'])
  }
  const above = callerOf({ npm_command: 'start', INIT_CWD: dirname(here) })
  assert.equal(join(dirname(here), above.place('./data')), join(here, 'data'))
  assert.equal(above.place('..'), '.')
  assert.equal(above.place(here), here)
})
