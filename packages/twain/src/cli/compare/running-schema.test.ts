import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { listen } from '#http'
import { openService } from '#main'
import { defaultLimits } from '#plan'
import { command } from '../command.fixture.ts'

const silent = { info() {}, warn() {}, error() {} }

const ruled = `type User @account @allow(to: [READ]) @allow(who: "self") { id: ID! email: String! @unique }
type Post @allow { id: ID! title: String! @constraint(maxLength: 50) body: String old: Int @deprecated(reason: "Unused.") }
`

test('--against https://… with a token of role admin compares the whole schema and shows the last uses', async (t) => {
  const { address, token, file } = await serve(t, ruled)
  await fetch(`${address}/posts?fields=body`, { headers: { 'x-client-name': 'web' } })
  writeFileSync(
    file,
    ruled
      .replace('maxLength: 50', 'maxLength: 40')
      .replace('body: String', '')
      .replace(/old: .*"\)/, ''),
  )
  const { code, out, err } = await command('check', file, '--against', address, '--token', token)
  assert.equal(code, 1, err)
  assert.match(out, /maxLength of Post\.title was 50 and is 40 now/)
  assert.match(out, /field Post\.body was removed \(clients\)\n {4}Last requested on \S+ by web\./)
  assert.match(out, /additive\n {2}field Post\.old was removed, as its deprecation announced/)
  assert.equal(err, '')
})

test('without a token it compares the introspection result and reports that', async (t) => {
  const { address, file } = await serve(t, ruled)
  writeFileSync(file, ruled.replace('maxLength: 50', 'maxLength: 40').replace(/old: .*"\)/, ''))
  const same = await command('check', file, '--against', address)
  assert.equal(same.code, 0, same.out)
  assert.match(same.err, /Only the GraphQL schema from introspection was compared/)
  writeFileSync(file, ruled.replace('body: String', 'body: Int'))
  const breaks = await command('check', file, '--against', `${address}/`)
  assert.equal(breaks.code, 1)
  assert.match(breaks.out, /Post\.body changed type from String to Int/)
})

test('a server that is open to everyone serves its file without a token', async (t) => {
  const open = 'type Post { id: ID! title: String @constraint(maxLength: 5) }'
  const { address, file } = await serve(t, open)
  writeFileSync(file, open.replace('5', '4'))
  const { code, err } = await command('check', file, '--against', address)
  assert.deepEqual([code, err], [1, ''])
})

test('an invalid token, and a server that does not answer, exit with 2', async (t) => {
  const { address, file } = await serve(t, ruled)
  writeFileSync(file, ruled)
  const wrong = await command('check', file, '--against', address, '--token', 'nonsense')
  assert.equal(wrong.code, 2)
  assert.match(wrong.err, /rejects the token/)
  const away = await command('check', file, '--against', 'http://127.0.0.1:1')
  assert.equal(away.code, 2)
  assert.match(away.err, /does not answer/)
})

async function serve(t: TestContext, sdl: string) {
  const data = mkdtempSync(join(tmpdir(), 'twain-running-'))
  const schemaFile = join(data, 'served.graphql')
  writeFileSync(schemaFile, sdl)
  const service = await openService({ schemaFile, data, limits: defaultLimits, log: silent })
  const common = { host: '127.0.0.1', port: 0, body: 1_048_576, time: 30, log: silent }
  const server = await listen({ handle: service.handle, ...common })
  t.after(async () => {
    service.retire()
    await server.close()
    await service.close()
    rmSync(data, { recursive: true })
  })
  const { out } = await command('token', '--role', 'admin', '--data', data)
  return { address: `http://127.0.0.1:${server.port}`, token: out.trim(), file: join(data, 'next.graphql') }
}
