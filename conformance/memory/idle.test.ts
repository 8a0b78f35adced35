// What a server loads and starts before it is needed: no driver of another database, no sockets, no tokens, no writer thread
// (docs/internals/decisions/0109-idle-memory.md).
// stores: sqlite

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { ServerProcess } from '../harness/server-process.ts'
import { twainModules } from '../harness/twain-modules.ts'
import { until } from '../harness/until.ts'

/** Runs before the server. On SIGUSR2 it prints the packages that the server has loaded, and how many threads it has started. */
const watcher = `
  const { registerHooks } = require('node:module')
  const packages = new Set()
  let threads = 0
  registerHooks({
    load(url, context, next) {
      const name = /.*\\/node_modules\\/((?:@[^/]+\\/)?[^/]+)\\//.exec(url)?.[1]
      if (name !== undefined) packages.add(name)
      return next(url, context)
    },
  })
  process.on('worker', () => threads++)
  process.on('SIGUSR2', () => console.log('loaded ' + JSON.stringify({ packages: [...packages], threads })))
`

const isBundled = process.env.TWAIN_TEST_MODULES !== undefined

describe('a server that nobody has written to since its start', () => {
  const folder = mkdtempSync(join(tmpdir(), 'twain-idle-'))
  let server: ServerProcess

  before(async () => {
    const file = join(folder, 'schema.graphql')
    writeFileSync(file, 'type Note @allow { id: ID! text: String! }')
    writeFileSync(join(folder, 'watcher.cjs'), watcher)
    const env = { NODE_OPTIONS: `--require=${join(folder, 'watcher.cjs')}` }
    server = await ServerProcess.start(file, join(folder, 'data'), [], undefined, env) // it writes keys and settings
    await server.stop()
    await server.startAgain()
  })
  after(async () => {
    await server?.stop()
    rmSync(folder, { recursive: true })
  })

  test('has loaded no package but the parser of schemas, and started no thread', async () => {
    const reply = await fetch(`${server.address}/notes`)
    assert.deepEqual([reply.status, await reply.json()], [200, []])
    const { packages, threads } = await loaded()
    assert.deepEqual(packages.sort(), isBundled ? ['twain'] : ['graphql'], twainModules)
    assert.equal(threads, 0)
  })

  test('starts the writer thread at the first write, which is on disk when it is acknowledged', async () => {
    const body = JSON.stringify({ text: 'first' })
    const headers = { 'content-type': 'application/json' }
    const created = await fetch(`${server.address}/notes`, { method: 'POST', headers, body })
    assert.equal(created.status, 201)
    assert.equal((await loaded()).threads, 1)
    await server.kill()
    await server.startAgain()
    const notes = (await (await fetch(`${server.address}/notes`)).json()) as { text: string }[]
    assert.deepEqual(
      notes.map(({ text }) => text),
      ['first'],
    )
  })

  async function loaded(): Promise<{ packages: string[]; threads: number }> {
    const from = server.output.length
    process.kill(server.pid, 'SIGUSR2')
    const printed = await until(
      async () => /^loaded (.*)$/m.exec(server.output.slice(from))?.[1],
      (line) => line !== undefined,
    )
    return JSON.parse(printed!)
  }
})
