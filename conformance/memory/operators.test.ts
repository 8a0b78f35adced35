// Operators are not under the rate limit.
// stores: sqlite

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { ServerProcess } from '../harness/server-process.ts'

const command = join(import.meta.dirname, '../../packages/twain/bin/twain.js')

test('a token of twain token --role has no quota, and other clients keep theirs', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'twain-operator-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const schemaFile = join(folder, 'schema.graphql')
  await writeFile(schemaFile, 'type Note @allow { id: ID! text: String! }')
  const data = join(folder, 'data')
  const server = await ServerProcess.start(schemaFile, data, [], ['--limits-requests-per-minute', '5'])
  t.after(() => server.stop())
  const token = execFileSync(process.execPath, [command, 'token', '--role', 'admin', '--data', data]).toString().trim()
  const statuses = async (headers: Record<string, string>) => {
    const replies = await Promise.all(Array.from({ length: 12 }, () => fetch(`${server.address}/notes`, { headers })))
    return replies.map(({ status }) => status)
  }

  assert.deepEqual(new Set(await statuses({ authorization: `Bearer ${token}` })), new Set([200]))
  assert.equal((await statuses({})).filter((status) => status === 429).length, 7)
})
