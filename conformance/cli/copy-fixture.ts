// The start of tests of `twain copy`: a schema file, an empty PostgreSQL database, and the command.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { plainRequest } from '../../packages/twain/src/base/http/index.ts'
import { run } from '../../packages/twain/src/cli/cli.ts'
import type { EventSettings } from '../../packages/twain/src/events/index.ts'
import type { FileSettings } from '../../packages/twain/src/files/index.ts'
import { openService, type Service } from '../../packages/twain/src/main/index.ts'
import { defaultLimits } from '../../packages/twain/src/plan/index.ts'
import { makeTestDatabase } from '../../packages/twain/src/store/postgres/test-database.fixture.ts'

export type Ask = (
  service: Service,
  method: string,
  path: string,
  body?: object,
) => Promise<{ status: number; body: unknown; text: string }>

export async function setUpCopy(t: TestContext, sdl: string) {
  const folder = mkdtempSync(join(tmpdir(), 'twain-copy-'))
  const schemaFile = join(folder, 'schema.graphql')
  const database = await makeTestDatabase()
  const opened: Service[] = []
  t.after(async () => {
    for (const service of opened) await service.close() // again, unless the test has failed
    await database.drop()
    rmSync(folder, { recursive: true })
  })
  const log = { info() {}, warn() {}, error() {} }
  const ask: Ask = async (service, method, path, body) => {
    const headers = { 'content-type': 'application/json' }
    const reply = await service.handle(
      plainRequest(method, path, body === undefined ? { headers } : { headers, body: JSON.stringify(body) }),
    )
    const text = String(reply.body ?? '')
    return { status: reply.status, body: text === '' ? null : JSON.parse(text), text }
  }
  const command = async (stop: AbortSignal, args: string[]) => {
    let [out, err] = ['', '']
    const colours = { out: false, err: false }
    const code = await run(args, { env: {}, out: (text) => (out += text), err: (text) => (err += text), colours, stop })
    return { code, out, err }
  }
  const twain = Object.assign((...args: string[]) => command(new AbortController().signal, args), {
    stopped: (...args: string[]) => command(AbortSignal.abort(), args),
  })
  /** With another schema than that of the test, if it is given. */
  const serve = async (
    place: { data: string; database?: string; files?: FileSettings; events?: EventSettings },
    schema = sdl,
  ) => {
    writeFileSync(schemaFile, schema)
    const service = await openService({ schemaFile, limits: defaultLimits, log, ...place })
    opened.push(service)
    return service
  }
  return { folder, database, ask, twain, serve }
}
