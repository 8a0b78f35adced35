// `twain print --contract` prints the nine parts of the convention, complete.
// stores: none

import assert from 'node:assert/strict'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { run } from '../../packages/twain/src/cli/cli.ts'

const root = join(import.meta.dirname, '../..')

const headings = [
  '## 1. What the service does',
  '## 2. Resources and their fields',
  '### 2.1 Resource addressing shape (REST)',
  '### 2.2 GraphQL type system',
  '## 3. States and transitions',
  '## 4. Endpoints',
  '### 4.1 REST methods',
  '### 4.2 GraphQL operations',
  '### 4.3 Pagination shapes',
  '### 4.4 Client-side fetch policies',
  '## 5. Authentication',
  '## 6. Events',
  '## 7. Errors',
  '### 7.1 HTTP status codes',
  '### 7.2 GraphQL errors',
  '## 8. Limits',
  '## 9. Versioning',
]

test('the printed contract of the blog equals the one in the repository', async () => {
  const stored = readFileSync(join(root, 'examples/blog/CONTRACT.md'), 'utf8')
  const command = 'npx twain print examples/blog/schema.graphql --contract > examples/blog/CONTRACT.md'
  assert.equal(await contractOf(join(root, 'examples/blog/schema.graphql')), stored, `regenerate it: ${command}`)
})

test('the contract of every schema has the nine parts, and nothing undefined', async () => {
  for (const file of globSync(['examples/*/schema.graphql', 'conformance/schemas/*.graphql'], { cwd: root })) {
    const text = await contractOf(join(root, file))
    const found = text.split('\n').filter((line) => /^##/.test(line))
    assert.deepEqual(found, headings, file)
    assert.doesNotMatch(text, /not shown|undefined|\[object|NaN/, file)
    for (const part of text.split(/^##+ .*$/m).slice(1)) assert.notEqual(part, '', file)
  }
})

test('the contract has states with their transitions, deprecations, previous paths, and the configured limits', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'twain-contract-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'schema.graphql')
  writeFileSync(
    file,
    `type Order @resource(path: "orders", was: ["purchases"]) @allow {
      id: ID!
      state: State!
      note: String @deprecated(reason: "Nobody reads it.")
    }
    enum State { CART @next(to: [PAID], where: { note: { isNull: false } }) PAID @next(to: [SENT], role: "clerk") SENT }`,
  )
  const text = await contractOf(file, '--limits-depth', '7', '--limits-requests-per-minute', '0')
  const expected = [
    '| Query depth (`limits.depth`) | 7 |',
    '| Requests (`limits.requestsPerMinute`) | none |',
    '`Order.state` starts as `CART`.',
    '| `Order.state` | `CART` | `PAID` | where note is not null |',
    '| `Order.state` | `PAID` | `SENT` | role clerk |',
    '**Order.state**',
    '| `Order.note` | Nobody reads it. |',
    '| `/purchases` | `/orders` |',
  ]
  for (const line of expected) assert.ok(text.includes(line), line)
})

async function contractOf(file: string, ...flags: string[]): Promise<string> {
  let [out, err] = ['', '']
  const code = await run(['print', file, '--contract', ...flags], {
    env: {},
    out: (part) => {
      out += part
    },
    err: (part) => {
      err += part
    },
    colours: { out: false, err: false },
    stop: new AbortController().signal,
  })
  assert.equal(code, 0, err)
  return out
}
