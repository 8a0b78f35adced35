// The package `twain`, installed from its tarball: each command, both databases, custom code with a package of its own.
// stores: sqlite + postgres

import assert from 'node:assert/strict'
import { readdirSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { makeTestDatabase } from '../../packages/twain/src/store/postgres/test-database.fixture.ts'
import { InstalledFolder, tarballOf } from './installed.ts'

const maxInstalledMegabytes = 25

const files = {
  'schema.graphql': `
    type Part @allow {
      id: ID!
      name: String!
      stock: Int! @default(value: 3)
    }
    extend type Mutation { take(id: ID!, count: Int! = 1): Part! @allow }`,
  'twain.config.ts': `
    import { ApiError, defineService } from 'twain'
    import { enough } from 'stock-rules'
    import type { Service } from './twain.types.ts'

    export default defineService<Service>({
      resolvers: {
        Mutation: {
          take: ({ id, count }, { transaction }) =>
            transaction(async ({ read, write }) => {
              const part = await read.Part.get(id)
              if (part === null) throw new ApiError('NOT_FOUND', 'There is no such part.')
              if (!enough(part.stock, count)) throw new ApiError('CONFLICT', 'It is sold out.')
              return write.Part.update(id, { stock: part.stock - count })
            }),
        },
      },
    })`,
  'stock-rules/package.json': '{"name": "stock-rules", "version": "1.0.0", "type": "module", "exports": "./index.js"}',
  'stock-rules/index.js': 'export const enough = (stock, count) => stock >= count',
  'tsconfig.json': JSON.stringify({
    compilerOptions: {
      module: 'nodenext',
      target: 'es2024',
      strict: true,
      noEmit: true,
      allowImportingTsExtensions: true,
      skipLibCheck: false,
      types: ['node'],
    },
    files: ['twain.config.ts'],
  }),
  'stock-rules/index.d.ts': 'export function enough(stock: number, count: number): boolean',
}

describe('the package twain', () => {
  let app: InstalledFolder
  before(async () => {
    app = await InstalledFolder.make(files, [tarballOf('twain'), './stock-rules'])
  })
  after(() => app?.remove())

  test('takes little room', () => {
    const bytes = readdirSync(join(app.path, 'node_modules'), { recursive: true })
      .map((path) => statSync(join(app.path, 'node_modules', String(path))))
      .reduce((sum, stats) => sum + (stats.isFile() ? stats.size : 0), 0)
    const megabytes = bytes / 1e6
    assert.ok(megabytes <= maxInstalledMegabytes, `${megabytes.toFixed(1)} MB are installed`)
  })

  test('check, print and types', async () => {
    assert.match((await app.twain('--version')).output, /^\d+\.\d+\.\d+\n$/)
    const types = await app.twain('types', 'schema.graphql')
    assert.deepEqual([types.code, types.output], [0, 'Wrote the types of schema.graphql to twain.types.ts.\n'])
    const check = await app.twain('check', 'schema.graphql')
    assert.deepEqual([check.code, check.output], [0, 'schema.graphql is fine: 1 resource.\n'])
    const print = await app.twain('print', 'schema.graphql', '--openapi')
    assert.equal(JSON.parse(print.output).openapi, '3.1.0')
  })

  test('its types compile, with those of custom code', async () => {
    await app.install('--save-dev', 'typescript@7.0.2', '@types/node@24')
    await app.twain('types', 'schema.graphql')
    const { code, output } = await app.run('node_modules/.bin/tsc', '-p', '.')
    assert.deepEqual([code, output], [0, ''])
  })

  test('dev serves both APIs, the documentation and the console', async (t) => {
    const server = await app.serve('dev', 'schema.graphql', '--data', 'dev-data')
    t.after(() => server.stop())
    await takesStock(server.address)
    for (const path of ['/', '/docs', '/docs/page.js', '/docs/page.css', '/openapi.json'])
      assert.equal((await fetch(server.address + path)).status, 200, path)
    const console = await (await fetch(`${server.address}/console`)).text()
    const files = [...console.matchAll(/"(\/console\/files\/[^"]+)"/g)].map(([, path]) => path!)
    for (const type of ['.js', '.css'])
      assert.ok(
        files.some((path) => path.endsWith(type)),
        type,
      )
    for (const path of files) {
      const reply = await fetch(server.address + path)
      assert.deepEqual([reply.status, (await reply.text()).length > 0], [200, true], path)
    }
  })

  test('start on SQLite, with a read that runs in a process of its own', async (t) => {
    const server = await app.serve('start', 'schema.graphql', '--data', 'data', '--limits-requests-per-minute', '0')
    t.after(() => server.stop())
    await takesStock(server.address)
    for (let n = 0; n < 30; n++)
      await post(
        `${server.address}/parts`,
        Array.from({ length: 100 }, (_, at) => ({ name: `nut ${n} ${at}` })),
      )
    const found = await fetch(`${server.address}/parts?name[contains]=nut 29 99`)
    assert.equal(((await found.json()) as unknown[]).length, 1)
  })

  test('start on PostgreSQL', async (t) => {
    const database = await makeTestDatabase()
    t.after(() => database.drop())
    const server = await app.serve('start', 'schema.graphql', '--database', database.address)
    t.after(() => server.stop())
    await takesStock(server.address)
  })

  test('twain/test and twain test', async () => {
    await app.write({
      'parts.test.js': `
        import assert from 'node:assert/strict'
        import { test } from 'node:test'
        import { startTestService } from 'twain/test'
        test('a part', async () => {
          await using service = await startTestService()
          assert.equal((await service.anonymous.post('/parts', { name: 'bolt' })).status, 201)
        })`,
      'stories.md': '## A part\n```story\nanonymous POST /parts {"name": "bolt"} → 201 {"stock": 3}\n```\n',
    })
    const tested = await app.run(process.execPath, '--test', 'parts.test.js')
    assert.equal(tested.code, 0, tested.output)
    assert.deepEqual(await app.twain('test', 'stories.md'), {
      code: 0,
      output: '✓ A part\n1 story: 1 passed, 0 failed.\n',
    })
  })

  test('has no sources, no tests, and a licence', async () => {
    const folder = join(app.path, 'node_modules/twain')
    const entries = readdirSync(folder, { recursive: true }).map(String)
    const own = entries.filter((path) => !path.includes('/templates/'))
    assert.deepEqual(
      own.filter((path) => /(^|\/)src\/|\.test\.|\.fixture\.|(?<!\.d)\.ts$/.test(path)),
      [],
    )
    for (const file of ['LICENSE', 'README.md']) assert.ok(entries.includes(file), file)
    const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
    assert.equal(manifest.engines.node, '>=24.7')
  })
})

/** Both APIs, and an error that custom code throws. */
async function takesStock(address: string): Promise<void> {
  const { body: part } = await post(`${address}/parts`, { name: 'bolt' })
  const document = 'mutation ($id: ID!) { take(id: $id, count: 2) { stock } }'
  const taken = await post(`${address}/graphql`, { query: document, variables: { id: part.id } })
  assert.deepEqual(taken.body, { data: { take: { stock: 1 } } })
  const refused = await post(`${address}/take-requests`, { id: part.id, count: 2 })
  assert.deepEqual([refused.status, refused.body.detail], [409, 'It is sold out.'])
}

async function post(url: string, body: unknown) {
  const reply = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  // biome-ignore lint/suspicious/noExplicitAny: the tests know the shape
  return { status: reply.status, body: (await reply.json()) as any }
}
