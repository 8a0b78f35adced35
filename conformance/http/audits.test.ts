// The audits of this folder, against our own server.
// stores: sqlite

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { ServerProcess } from '../harness/server-process.ts'
import { audits } from './audits.ts'
import { notes } from './notes-target.ts'

describe('RFC 9110, from outside', () => {
  const data = mkdtempSync(join(tmpdir(), 'twain-http-'))
  let server: ServerProcess
  before(async () => {
    server = await ServerProcess.start(join(import.meta.dirname, 'schema.graphql'), data)
  })
  after(async () => {
    await server.stop()
    rmSync(data, { recursive: true })
  })

  for (const { id, title, run } of audits) {
    test(`${id}: ${title}`, () => run({ url: server.address, ...notes }))
  }
})
