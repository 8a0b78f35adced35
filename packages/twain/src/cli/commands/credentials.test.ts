// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { plainRequest } from '#base/http'
import { openService, type Service } from '#main'
import { defaultLimits } from '#plan'
import { makeTestPlace } from '#test-place'
import { run } from '../cli.ts'

const sdl = `
type User @account @allow(who: "self") { id: ID!, email: String! @unique }
type Note @allow(role: "importer") { id: ID!, text: String! }
`

test('a token of twain token is valid on a running server, and tokens of a forgotten secret are not', async (t) => {
  const { twain, statusOf } = await serving(t)
  const { code, out } = await twain('token', '--role', 'admin,importer')
  assert.equal(code, 0)
  assert.match(out, /^[\w-]+\.[\w-]+\.[\w-]+\n$/)
  assert.equal(await statusOf('/notes', out.trim()), 200)

  assert.equal((await twain('token', '--rotate')).code, 0)
  assert.equal(await statusOf('/notes', out.trim()), 200)
  assert.equal((await twain('token', '--rotate', '--forget')).code, 0)
  assert.equal(await later(() => statusOf('/notes', out.trim()), 401), 401)
})

test('an API key is valid until it is revoked', async (t) => {
  const { twain, statusOf } = await serving(t)
  const { out: key } = await twain('key', '--role', 'importer', '--name', 'nightly')
  assert.match(key, /^twk_[\w-]{43}\n$/)
  assert.equal(await statusOf('/notes', key.trim()), 200)

  const { out: list } = await twain('key', '--list')
  assert.match(list, /^\S+ {2}\S+Z {2}(never used|used \S+Z) {2}importer {2}nightly\n$/)
  assert.equal((await twain('key', '--end', list.split(' ')[0]!)).code, 0)
  assert.equal(await later(() => statusOf('/notes', key.trim()), 401), 401)
  assert.equal((await twain('key', '--end', 'none')).code, 1)
})

test('usage errors are reported, and nothing is created', async (t) => {
  const { twain } = await serving(t)
  for (const [args, words] of [
    [['token'], /--role ROLE is missing/],
    [['token', '--role', ','], /--role ROLE is missing/],
    [['token', '--forget'], /needs --rotate/],
    [['token', '--role', 'a', '--time', 'x'], /--time must be/],
    [['token', '--rotate', '--auth-secret', 'x'.repeat(32)], /put a new secret before it/],
    [['token', 'schema.graphql', '--role', 'a'], /takes flags only/],
    [['token', '--role', 'a', '--list'], /does not take --list/],
    [['token', '--rotate=yes'], /--rotate takes no value/],
    [['key'], /Choose one/],
    [['key', '--list', '--end', 'x'], /Choose one/],
    [['key', '--role', ''], /Choose one/],
  ] as const) {
    const { code, err } = await twain(...args)
    assert.equal(code, 2, args.join(' '))
    assert.match(err, words)
  }
  assert.equal((await twain('key', '--list')).out, '')
})

test('without a data folder the commands fail', async () => {
  const output: string[] = []
  const surface = {
    env: {},
    out: write,
    err: write,
    colours: { out: false, err: false },
    stop: new AbortController().signal,
  }
  function write(text: string) {
    output.push(text)
  }
  assert.equal(await run(['token', '--role', 'admin', '--data', 'no/such'], surface), 1)
  assert.match(output.join(''), /There is no data in no\/such/)
})

async function serving(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'twain-token-'))
  const schemaFile = join(folder, 'schema.graphql')
  writeFileSync(schemaFile, sdl)
  const log = { info() {}, warn() {}, error() {} }
  const { place, flags, drop } = await makeTestPlace(join(folder, 'data'))
  const service: Service = await openService({ schemaFile, ...place, limits: defaultLimits, log })
  t.after(async () => {
    await service.close()
    await drop()
    rmSync(folder, { recursive: true })
  })
  return {
    async twain(...args: readonly string[]) {
      const heard = { out: '', err: '' }
      const out = (text: string) => {
        heard.out += text
      }
      const err = (text: string) => {
        heard.err += text
      }
      const surface = { env: {}, out, err, colours: { out: false, err: false }, stop: new AbortController().signal }
      return { code: await run([...args, ...flags], surface), ...heard }
    },
    async statusOf(path: string, token: string): Promise<number> {
      const headers = { authorization: `Bearer ${token}` }
      return (await service.handle(plainRequest('GET', path, { headers }))).status
    },
  }
}

/** A revocation is effective within a second on an idle machine. */
async function later(statusOf: () => Promise<number>, expected: number): Promise<number> {
  const deadline = Date.now() + 15_000
  for (;;) {
    const status = await statusOf()
    if (status === expected || Date.now() > deadline) return status
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
