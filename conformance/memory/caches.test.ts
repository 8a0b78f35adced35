// Caches have weight: anonymous clients that send ever new documents and queries don't fill memory.
// stores: sqlite
// all samples: postgres
// process: own (it measures the heap)

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Metrics } from '../../packages/twain/src/http/index.ts'
import { defaultLimits } from '../../packages/twain/src/plan/index.ts'
import { TestService } from '../harness/test-service.ts'

const sdl = 'type Note @allow(to: [READ]) { id: ID! title: String! text: String number: Int rating: Float }'
const fields = ['id', 'title', 'text', 'number', 'rating']
const cacheBytes = 8_388_608

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

test('40 different documents of 640 fields, each sent twice, stay within limits.cacheBytes', async (t) => {
  const service = await open(t)
  await send(service, documentOf('first', 640))
  const before = heapMegabytes()

  for (let n = 0; n < 40; n++) for (let time = 0; time < 2; time++) await send(service, documentOf(`d${n}`, 640))

  assert.ok((await cachedBytes(service)) <= cacheBytes)
  const grown = heapMegabytes() - before
  assert.ok(grown < 12, `the heap grew by ${grown} MB`)
})

test('ever new REST queries stay within limits.cacheBytes', async (t) => {
  const service = await open(t)
  for (let n = 0; n < 300; n++) {
    const names = fields.toSorted(() => Math.random() - 0.5)
    const filters = fields.slice(1).map((name, index) => `${name}[${n % (index + 3) === 0 ? 'eq' : 'ne'}]=${n}`)
    await service.send('GET', `/notes?fields=${names}&sort=${names[n % 5]}&${filters.join('&')}`)
  }
  const metrics = await cacheMetrics(service)

  assert.ok((await cachedBytes(service)) <= cacheBytes)
  assert.ok(metrics.get('twain_cache_bytes{cache="rest_plans"}')! > 0)
  assert.ok(metrics.get('twain_cache_entries{cache="sql_statements"}')! > 0)
})

function open(t: Parameters<typeof TestService.open>[0]): Promise<TestService> {
  const metrics = { of: new Metrics(), to: 'open' as const }
  t.after(() => metrics.of.close())
  return TestService.open(t, sdl, { limits: { ...defaultLimits, cacheBytes }, metrics })
}

function documentOf(name: string, size: number): string {
  return `{ note(id: "none") { ${selectionOf(name, size)} } }`
}

function selectionOf(name: string, size: number): string {
  return Array.from({ length: size }, (_, index) => `${name}_${index}: ${fields[index % fields.length]}`).join(' ')
}

async function send(service: TestService, query: string): Promise<void> {
  const { data } = await service.succeed('POST', '/graphql', { query })
  assert.deepEqual(data, { note: null })
}

function heapMegabytes(): number {
  collectGarbage()
  return Math.round(process.memoryUsage().heapUsed / 1_048_576)
}

async function cacheMetrics(service: TestService): Promise<Map<string, number>> {
  const text: string = await service.succeed('GET', '/metrics')
  const lines = text.split('\n').filter((line) => line.startsWith('twain_cache_'))
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]))
}

/** All that is cached in this process; the writer's thread and PostgreSQL have a share of their own. */
async function cachedBytes(service: TestService): Promise<number> {
  const bytes = [...(await cacheMetrics(service))].filter(([name]) => name.startsWith('twain_cache_bytes'))
  assert.ok(bytes.length > 5)
  return bytes.reduce((sum, [name, value]) => (/"(writer|prepared_statements)"/.test(name) ? sum : sum + value), 0)
}
