import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { run } from './cli.ts'

const sdl = 'type Post @allow { id: ID!, title: String! }\n'

test('dev serves both APIs, reloads the file, and stops on a signal', async (t) => {
  const { file, data, write, start } = workshop(t)
  const command = start('dev', file, '--data', data, '--port', '0')
  const url = await command.address()

  const made = await post(`${url}/posts`, { title: 'Hello' })
  assert.equal(made.status, 201)
  const answer = await post(`${url}/graphql`, { query: '{ posts { title } }' })
  assert.deepEqual(answer.value, { data: { posts: [{ title: 'Hello' }] } })

  write('type Post @allow { id: ID!, title: String!, body: String }\n')
  await command.waitFor(/reloaded/)
  const anew = await post(`${url}/graphql`, { query: '{ posts { title body } }' })
  assert.deepEqual(anew.value, { data: { posts: [{ title: 'Hello', body: null }] } })

  write('type Post { id: ID!, title: Strin! }\n')
  await command.waitFor(/The previous schema stays in service/)
  assert.equal((await fetch(`${url}/posts`)).status, 200)

  assert.equal(await command.stop(), 0)
  await assert.rejects(fetch(url))
})

test('a seed fills an empty service once', async (t) => {
  const { file, data, folder, start } = workshop(t)
  const seed = join(folder, 'seed.mts')
  writeFileSync(seed, "export async function seed(make) { await make('Post', { title: 'Seeded' }) }")

  const first = start('start', file, '--data', data, '--port', '0', '--seed', seed)
  const url = await first.address()
  assert.equal(((await (await fetch(`${url}/posts`)).json()) as object[]).length, 1)
  await first.waitFor(/created 1 Post in \d+ ms/)
  assert.equal(await first.stop(), 0)

  const second = start('start', file, '--data', data, '--port', '0', '--seed', seed)
  await second.waitFor(/was not run: the database already has rows/)
  assert.equal(await second.stop(), 0)
})

test('a denial names the rule that would allow it: in the answer of dev, in the log of start', async (t) => {
  const { file, data, write, start } = workshop(t)
  write('type Post @allow(to: [READ]) @allow(role: "admin") { id: ID!, title: String! }\n')
  const hintPattern = /schema\.graphql:1 @allow\(role: "admin"\) would allow it/
  for (const name of ['dev', 'start'] as const) {
    const command = start(name, file, '--data', data, '--port', '0')
    const { status, value } = await post(`${await command.address()}/posts`, { title: 'Hello' })
    assert.equal(status, 401)
    const { hint } = value as { hint?: string }
    if (name === 'dev') assert.match(hint!, hintPattern)
    else assert.equal(hint, undefined)
    await command.waitFor(
      name === 'dev' ? hintPattern : /"rules":"Post: .*:1 @allow\(role: \\"admin\\"\) would allow it\."/,
    )
    assert.equal(await command.stop(), 0)
  }
})

test('start logs JSON on stderr from start to stop', async (t) => {
  const { file, data, start, write } = workshop(t)
  write('type Post @allow { id: ID!, title: String! }\n')
  const command = start('start', file, '--data', data, '--port', '0')
  const address = await command.address()
  assert.equal(await command.stop(), 0)
  const lines = command
    .output()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  assert.deepEqual(
    lines.map(({ level, message }) => `${level} ${message}`),
    ['info serving', 'info stopping: finishing requests in progress', 'info stopped'],
  )
  const { 'service.name': name, 'server.url': url, data: folder, resources } = lines[0]!
  assert.deepEqual({ name, url, folder, resources }, { name: 'Schema', url: address, folder: data, resources: 1 })

  write('type Post { id: ID!, title: Strin! }\n')
  const refused = start('start', file, '--data', data)
  assert.equal(await refused.ended, 1)
  const { level, message, 'exception.message': reason } = JSON.parse(refused.output()) as Record<string, string>
  assert.deepEqual([level, message], ['error', 'start failed'])
  assert.match(reason!, /Strin/)
})

test('start needs rules for custom operations, or lists those that only the role admin may call', async (t) => {
  const { folder, file, data, start, write } = workshop(t)
  const code = 'export default { resolvers: { Query: { sum: () => 1 }, Mutation: { purge: () => 2 } } }'
  writeFileSync(join(folder, 'twain.config.mts'), code)
  const operations = 'extend type Query { sum: Int @allow } extend type Mutation { purge: Int }\n'
  write(`type Post @allow { id: ID! } ${operations}`)
  const refused = start('start', file, '--data', data)
  assert.equal(await refused.ended, 1)
  assert.match(refused.output(), /These custom operations have no access rules:\\n {2}- Mutation\.purge\\nAdd @allow/)

  write(`type User @account @allow { id: ID! email: String! @unique } type Note { id: ID! } ${operations}`)
  const command = start('start', file, '--data', data, '--port', '0')
  const url = await command.address()
  await command.waitFor(/without @allow: only for the role admin/)
  assert.match(command.output(), /"types":\["Note"\],"operations":\["Mutation\.purge"\]/)
  assert.equal((await fetch(`${url}/sum`)).status, 200)
  assert.equal((await post(`${url}/purge-requests`, {})).status, 401)
  await command.waitFor(/call denied/)
  assert.equal(await command.stop(), 0)
})

test('start refuses proven sign-ups without mails, and says that nobody has the role admin', async (t) => {
  const { file, data, start, write } = workshop(t)
  const account = (verification: string) =>
    `type User @account(verification: ${verification}) @allow(role: "admin") { id: ID! email: String! @unique roles: [String!] }\n`
  write(account('REQUIRED'))
  const refused = start('start', file, '--data', data)
  assert.equal(await refused.ended, 1)
  assert.match(
    refused.output(),
    /verification: REQUIRED\) mails codes to those who sign up: set mail\.url and mail\.from/,
  )
  write(account('OPTIONAL'))
  const command = start('start', file, '--data', data, '--port', '0')
  await command.waitFor(/no account has the role admin: twain invite EMAIL --role admin/)
  assert.equal(await command.stop(), 0)
})

test('mistakes in the file are shown with their positions; nothing starts and no data is created', async (t) => {
  const { file, data, write, start } = workshop(t)
  write('type Post { id: ID!, title: Strin!, author: Usr }\n')
  for (const args of [
    ['start', file, '--data', data],
    ['print', file],
  ]) {
    const command = start(...args)
    assert.equal(await command.ended, 1)
    assert.match(command.output(), /:1:\d+/)
    assert.match(command.output(), /Strin/)
    assert.match(command.output(), /Usr/)
  }
  assert.equal(existsSync(data), false)
})

test('print prints the whole GraphQL schema', async (t) => {
  const { file, start } = workshop(t)
  const command = start('print', file)
  assert.equal(await command.ended, 0)
  assert.match(command.output(), /createPost\(/)
})

test('print --states draws the state machines', async (t) => {
  const { file, write, start } = workshop(t)
  write('type Door { id: ID! state: State } enum State { SHUT @next(to: [OPEN]) OPEN }')
  const command = start('print', file, '--states')
  assert.equal(await command.ended, 0)
  assert.match(command.output(), /^## Door\.state\n\n```mermaid\nstateDiagram-v2\n[\s\S]*s_SHUT --> s_OPEN\n/)
})

test('print --openapi prints the same bytes as /openapi.json', async (t) => {
  const { file, data, start } = workshop(t)
  const printed = start('print', file, '--openapi', '--limits-page', '50')
  assert.equal(await printed.ended, 0)
  const served = start('dev', file, '--data', data, '--port', '0', '--limits-page', '50')
  const address = await served.address()
  assert.equal(printed.output(), await (await fetch(`${address}/openapi.json`)).text())
  assert.match(printed.output(), /"maximum":50,/)
  const full = start('print', file, '--openapi', '--profile', 'full', '--limits-page', '50')
  assert.equal(await full.ended, 0)
  assert.equal(full.output(), await (await fetch(`${address}/openapi.json?profile=full`)).text())
  for (const wrong of [
    ['--profile', 'full'],
    ['--openapi', '--profile', 'other'],
  ])
    assert.equal(await start('print', file, ...wrong).ended, 2)

  const both = start('print', file, '--openapi', '--graphql')
  assert.equal(await both.ended, 2)
})

test('a taken port that the operator set is an error', async (t) => {
  const { file, data, start } = workshop(t)
  const other = createServer().listen(0, '127.0.0.1')
  t.after(() => other.close())
  await once(other, 'listening')
  const { port } = other.address() as { port: number }

  const refused = start('start', file, '--data', data, '--port', String(port))
  assert.equal(await refused.ended, 1)
  assert.match(
    refused.output(),
    new RegExp(`"exception.message":"Another program already listens on port ${port} of 127.0.0.1`),
  )
  assert.equal(existsSync(data), false)
})

test('a usage error prints every mistake and exits with 2', async (t) => {
  const { start } = workshop(t)
  const command = start('dev', '--prot', '1', '--limits-depth', 'x')
  assert.equal(await command.ended, 2)
  assert.match(command.output(), /Did you mean "--port"\?/)
  assert.match(command.output(), /--limits-depth must be a whole number/)
  assert.match(command.output(), /See twain dev --help/)
})

test('help and version are printed', async (t) => {
  const { start } = workshop(t)
  const [help, version] = [start('--help'), start('--version')]
  assert.deepEqual([await help.ended, await version.ended], [0, 0])
  assert.match(help.output(), /twain dev schema\.graphql/)
  assert.match(version.output(), /^\d+\.\d+\.\d+\n$/)
})

/** A folder with a schema file, and the command run in this process whose output the test reads. */
function workshop(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'twain-cli-'))
  const file = join(folder, 'schema.graphql')
  const write = (text: string) => writeFileSync(file, text)
  const stops: (() => Promise<number>)[] = []
  t.after(async () => {
    await Promise.all(stops.map((stop) => stop()))
    rmSync(folder, { recursive: true })
  })
  write(sdl)
  const start = (...argv: string[]) => {
    let text = ''
    const take = (part: string) => {
      text += part
    }
    const controller = new AbortController()
    const colours = { out: false, err: false }
    const ended = run(argv, { env: {}, out: take, err: take, colours, stop: controller.signal })
    const waitFor = async (pattern: RegExp) => {
      const deadline = Date.now() + 60_000
      while (!pattern.test(text)) {
        assert.ok(Date.now() < deadline, `waited for ${pattern}, heard:\n${text}`)
        await sleep(5)
      }
      return pattern.exec(text)!
    }
    const stop = () => {
      controller.abort()
      return ended
    }
    stops.push(stop)
    return {
      ended,
      waitFor,
      stop,
      output: () => text,
      address: async () => (await waitFor(/(?:REST +|"server.url":")(http:\/\/[\w.:]+)/))[1]!,
    }
  }
  return { folder, file, data: join(folder, 'data'), write, start }
}

async function post(url: string, input: object): Promise<{ status: number; value: unknown }> {
  const headers = { 'content-type': 'application/json' }
  const reply = await fetch(url, { method: 'POST', headers, body: JSON.stringify(input) })
  return { status: reply.status, value: await reply.json() }
}
