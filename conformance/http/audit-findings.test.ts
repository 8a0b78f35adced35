// Findings of an audit that no other test holds: slashes at the end of the server's own paths (D19), a nullable result in OpenAPI
// (D24), the stages of a document that can't be parsed (D27), the log of references that may be null (D32), the sentence about a
// parameter that takes no operators (D37), and what a URI is (D40).
// stores: sqlite

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { ServerProcess } from '../harness/server-process.ts'

const sdl = `
  type User @account @allow(to: [CREATE]) @allow(who: "self") { id: ID! email: String! @unique }
  type Score @allow { id: ID! title: String link: String @constraint(format: "uri") owner: User! @default(value: VIEWER) }
  extend type Query { whoAmI: User @allow }`
const code = 'export default { resolvers: { Query: { whoAmI: () => null } } }'

describe('findings of the audit', () => {
  const folder = mkdtempSync(join(tmpdir(), 'twain-audit-'))
  let server: ServerProcess
  before(async () => {
    const schemaFile = join(folder, 'schema.graphql')
    writeFileSync(schemaFile, sdl)
    writeFileSync(join(folder, 'twain.config.ts'), code)
    server = await ServerProcess.start(schemaFile, join(folder, 'data'), ['--http-server-timing', 'true'])
  })
  after(async () => {
    await server?.stop()
    rmSync(folder, { recursive: true })
  })

  for (const path of [
    '/docs',
    '/openapi.json',
    '/healthz',
    '/readyz',
    '/metrics',
    '/docs/contract',
    '/docs/schema',
    '/docs/model',
    '/docs/access',
    '/scores',
  ]) {
    test(`D19: ${path}/ leads to ${path}`, async () => {
      const reply = await fetch(`${server.address}${path}/`, { redirect: 'manual' })
      assert.deepEqual([reply.status, reply.headers.get('location')], [301, path])
    })
  }

  test('D24: OpenAPI says that a query may answer null, as it does', async () => {
    const answer = await fetch(`${server.address}/who-am-i`)
    assert.deepEqual([answer.status, await answer.json()], [200, null])
    const document = (await (await fetch(`${server.address}/openapi.json`)).json()) as {
      paths: Record<string, { get: { responses: Record<string, { content: Record<string, { schema: object }> }> } }>
    }
    const { schema } = document.paths['/who-am-i']!.get.responses['200']!.content['application/json']!
    assert.match(JSON.stringify(schema), /"null"/)
  })

  test('D27: Server-Timing has the stage that failed', async () => {
    const reply = await fetch(`${server.address}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"query": "{ scores { title"}',
    })
    assert.match(reply.headers.get('server-timing')!, /parse/)
  })

  test('D32: the log of the start lists the references that are served as nullable', () => {
    assert.match(server.output, /served as nullable.*"fields":\["Score\.owner"\]/)
  })

  test('D37: a parameter that is no field is not suggested for itself', async () => {
    const reply = await fetch(`${server.address}/scores?limit[eq]=1`)
    const { detail, errors } = (await reply.json()) as { detail: string; errors: { message: string }[] }
    assert.equal(reply.status, 400)
    assert.doesNotMatch(detail + JSON.stringify(errors), /Did you mean \\?"limit\\?"/)
  })

  test('D40: a URI has ASCII characters only', async () => {
    const created = async (link: string) => {
      const reply = await fetch(`${server.address}/scores`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${await token()}` },
        body: JSON.stringify({ link }),
      })
      return reply.status
    }
    assert.equal(await created('https://x.example/%C3%A9'), 201)
    assert.equal(await created('https://x.example/é'), 400)
  })

  let signedIn: Promise<string> | null = null
  function token(): Promise<string> {
    signedIn ??= signIn()
    return signedIn
  }

  async function signIn(): Promise<string> {
    const body = JSON.stringify({ email: 'ann@example.org', password: 'a long password' })
    const post = (path: string) =>
      fetch(server.address + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    await post('/users')
    return ((await (await post('/tokens')).json()) as { token: string }).token
  }
})
