// Custom code can't take the server with it: failures outside of a call, process.exit, and code that loops for ever.
// stores: sqlite

import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../../scripts/free-port.ts'
import { ServerProcess } from '../harness/server-process.ts'
import { twainCommand } from '../harness/twain-modules.ts'
import { until } from '../harness/until.ts'

const sdl = `
type Note @allow { id: ID! text: String! }
extend type Mutation { misbehave(how: String!): String @allow }
`

const config = `import { EventEmitter } from 'node:events'
const ways = {
  spin() { for (;;); },
  block() { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000) },
  sleep() { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3000) },
  rejectLater() { setTimeout(() => Promise.reject(new Error('nobody awaits me')), 1) },
  throwLater() { setTimeout(() => { throw new Error('thrown in a timer') }, 1) },
  emitLater() { setTimeout(() => new EventEmitter().emit('error', new Error('nobody listens')), 1) },
  rejectText() { setTimeout(() => Promise.reject('a text'), 1) },
  wait() { return new Promise((resolve) => setTimeout(resolve, 1500, 'waited')) },
  exit() { process.exit(0) },
  exitWith3() { setTimeout(() => process.exit(3), 1) },
}
export default { resolvers: { Mutation: { misbehave: ({ how }) => ways[how]() ?? 'done' } } }
`

async function makeService(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'twain-watchdog-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const schemaFile = join(folder, 'schema.graphql')
  await writeFile(schemaFile, sdl)
  await writeFile(join(folder, 'twain.config.ts'), config)
  return { folder, schemaFile }
}

async function start(t: TestContext, ...more: string[]) {
  const { schemaFile, folder } = await makeService(t)
  const server = await ServerProcess.start(schemaFile, join(folder, 'data'), more)
  t.after(() => server.kill())
  return { server, misbehave: (how: string) => call(server.address, how) }
}

async function call(address: string, how: string): Promise<number> {
  const headers = { 'content-type': 'application/json' }
  const reply = await fetch(`${address}/misbehave-requests`, { method: 'POST', headers, body: JSON.stringify({ how }) })
  await reply.text()
  return reply.status
}

const entries = (server: ServerProcess) =>
  server.output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, string | number>)

test('failures outside of a call are logged with their place, and process.exit drains', async (t) => {
  const { server, misbehave } = await start(t)
  const failures = () => entries(server).filter(({ message }) => /failed outside of a call/.test(String(message)))
  const places: [how: string, line: number | null][] = [
    ['rejectLater', 6],
    ['throwLater', 7],
    ['emitLater', 8],
    ['rejectText', null],
  ]
  for (const [index, [how, line]] of places.entries()) {
    assert.equal(await misbehave(how), 200)
    const { level, place } = (
      await until(
        async () => failures(),
        ({ length }) => length > index,
      )
    )[index]!
    assert.equal(level, 'error')
    if (line !== null) assert.match(String(place), new RegExp(`^twain\\.config\\.ts:${line}:`))
  }

  assert.equal(await drained(server, misbehave, 'exit'), 500)
  assert.equal(await server.ended(), 1)
  const exit = entries(server).find(({ message }) => /called process\.exit/.test(String(message)))
  assert.match(String(exit?.place), /^twain\.config\.ts:11:/)
  assert.equal(exit?.exit_code, 1)
})

test('process.exit with a code drains, too, and ends with it', async (t) => {
  const { server, misbehave } = await start(t)
  assert.equal(await drained(server, misbehave, 'exitWith3'), 200)
  assert.equal(await server.ended(), 3)
})

/** The status of a call that ends the server while another one waits, and is answered. */
async function drained(
  server: ServerProcess,
  misbehave: (how: string) => Promise<number>,
  how: string,
): Promise<number> {
  const waiting = misbehave('wait')
  const begun = async () => (await (await fetch(`${server.address}/metrics`)).text()).match(/active_requests ([2-9])/)
  await until(begun, (found) => found !== null)
  const status = await misbehave(how)
  assert.equal(await waiting, 200)
  return status
}

test('code that loops is ended after limits.codeSeconds and five seconds, and named; a frozen or waiting process is not', async (t) => {
  const { server, misbehave } = await start(t, '--limits-code-seconds', '1')
  server.signal('SIGSTOP')
  await pause(7000)
  server.signal('SIGCONT')
  assert.equal(await misbehave('sleep'), 200)
  const began = performance.now()
  const spinning = misbehave('spin').catch((error) => error)
  assert.equal(await server.ended(), 'SIGKILL')
  assert.ok(performance.now() - began >= 5500, 'before its time')
  assert.ok((await spinning) instanceof Error)
  const entry = entries(server).at(-1)!
  assert.equal(entry.level, 'error')
  assert.equal(entry['code.function.name'], 'Mutation.misbehave')
  assert.match(String(entry['code.stacktrace']), /^at spin \(.*twain\.config\.ts/)
})

test('code that loops is ended also where the server is the first process of a container', async (t) => {
  const inContainer = ['--pid', '--fork', '--mount-proc', '--kill-child']
  if (spawnSync('unshare', [...inContainer, 'true']).status !== 0)
    return t.skip('needs unshare, and the right to use it')
  const { schemaFile, folder } = await makeService(t)
  const port = await freePort()
  const flags = ['--data', join(folder, 'data'), '--port', String(port), '--limits-code-seconds', '1']
  const command = [process.execPath, twainCommand, 'start', schemaFile, ...flags]
  const child = spawn('unshare', [...inContainer, ...command], { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  t.after(() => child.kill('SIGKILL'))
  const ended = once(child, 'exit')
  const address = `http://127.0.0.1:${port}`
  await until(
    () =>
      fetch(`${address}/readyz`).then(
        ({ status }) => status,
        () => 0,
      ),
    (status) => status === 200,
  )
  await assert.rejects(call(address, 'spin'))
  await ended
  assert.match(output, /custom code held the server/)
})

test('after a signal, code that loops has limits.drainSeconds; a second signal ends it at once', async (t) => {
  const limits = ['--limits-code-seconds', '0', '--limits-drain-seconds']
  const [drained, impatient] = await Promise.all([start(t, ...limits, '2'), start(t, ...limits, '0')])
  const blocked = [drained, impatient].map(({ misbehave }) => misbehave('block').catch(() => {}))
  await pause(3000) // both give no sign
  for (const { server } of [drained, impatient]) server.signal('SIGTERM')
  await pause(1000)
  impatient.server.signal('SIGTERM')
  for (const { server } of [drained, impatient]) {
    assert.equal(await server.ended(), 'SIGKILL')
    assert.match(server.output, /after a stop signal/)
  }
  await Promise.all(blocked)
})
