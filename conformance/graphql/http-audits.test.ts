// graphql-http's audits of the GraphQL-over-HTTP specification, against a server on a port. http-audits.md is the report:
// every MUST and SHOULD passes, and a review shows every change of it.
// stores: sqlite

import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { auditServer } from 'graphql-http'
import { ServerProcess } from '../harness/server-process.ts'

const report = join(import.meta.dirname, 'http-audits.md')
const folder = await mkdtemp(join(tmpdir(), 'twain-audits-'))
let server: ServerProcess
before(async () => {
  const schema = join(folder, 'schema.graphql')
  await writeFile(schema, 'type Note @allow { id: ID! text: String! }')
  server = await ServerProcess.start(schema, join(folder, 'data'))
})
after(async () => {
  await server.stop()
  await rm(folder, { recursive: true })
})

test('every MUST and SHOULD of GraphQL over HTTP passes, as the report says', async () => {
  const results = await auditServer({ url: `${server.address}/graphql` })
  for (const { response } of results as { response?: Response }[]) await response?.body?.cancel()

  const failed = results.filter(({ status, name }) => status !== 'ok' && !name.startsWith('MAY'))
  assert.deepEqual(
    failed.map(({ id, name }) => `${id} ${name}`),
    [],
  )
  const rows = results.map(({ id, name, status }) => `| \`${id}\` | ${name} | ${status === 'ok' ? 'yes' : 'no'} |`)
  const text = `# GraphQL over HTTP, as graphql-http audits it\n\n| Audit | | Passes |\n|---|---|---|\n${rows.join('\n')}\n`
  if (process.env.WRITE_REPORT) await writeFile(report, text)
  assert.equal(await readFile(report, 'utf8'), text)
})
