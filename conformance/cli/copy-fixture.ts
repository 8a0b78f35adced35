// The start of tests of `twain copy`: a schema file, an empty PostgreSQL database, and the command.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { plainRequest } from '../../packages/twain/src/base/http/index.ts'
import { run } from '../../packages/twain/src/cli/cli.ts'
import type { FileSettings } from '../../packages/twain/src/files/index.ts'
import { openService, type Service } from '../../packages/twain/src/main/index.ts'
import { defaultLimits } from '../../packages/twain/src/plan/index.ts'
import { makeTestDatabase } from '../../packages/twain/src/store/postgres/test-database.fixture.ts'

export type Ask = (
  service: Service,
  method: string,
  path: string,
  body?: object,
) => Promise<{ status: number; body: unknown }>

export async function setUpCopy(t: TestContext, sdl: string) {
  const folder = mkdtempSync(join(tmpdir(), 'twain-copy-'))
  const schemaFile = join(folder, 'schema.graphql')
  writeFileSync(schemaFile, sdl)
  const database = await makeTestDatabase()
  t.after(async () => {
    await database.drop()
    rmSync(folder, { recursive: true })
  })
  const log = { info() {}, warn() {}, error() {} }
  const ask: Ask = async (service, method, path, body) => {
    const headers = { 'content-type': 'application/json' }
    const reply = await service.handle(
      plainRequest(method, path, body === undefined ? { headers } : { headers, body: JSON.stringify(body) }),
    )
    return { status: reply.status, body: reply.body ? JSON.parse(String(reply.body)) : null }
  }
  const command = async (stop: AbortSignal, args: string[]) => {
    let err = ''
    const colours = { out: false, err: false }
    const code = await run(args, { env: {}, out() {}, err: (text) => (err += text), colours, stop })
    return { code, err }
  }
  const twain = Object.assign((...args: string[]) => command(new AbortController().signal, args), {
    stopped: (...args: string[]) => command(AbortSignal.abort(), args),
  })
  const serve = (place: { data: string; database?: string; files?: FileSettings }) =>
    openService({ schemaFile, limits: defaultLimits, log, ...place })
  return { folder, database, ask, twain, serve }
}
