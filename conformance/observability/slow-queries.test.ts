// The slow-query log: the shape and the SQL of slow statements, and never a value.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TestService } from '../harness/test-service.ts'
import { until } from '../harness/until.ts'

const sdl = `
type Author @allow { id: ID! name: String! posts: [Post!]! }
type Post @allow { id: ID! title: String! author: Author }
`

interface SlowQuery {
  duration_ms: number
  shape: string
  'db.query.text': string
  hint?: string
}

test('a slow read or write is logged with its shape and its SQL, without values', async (t) => {
  const slow: SlowQuery[] = []
  const warn = (fields: object, message: string) => void (message === 'slow query' && slow.push(fields as SlowQuery))
  const log = { info() {}, warn, error: console.error }
  const service = await TestService.open(t, sdl, { log, slowQueryMs: 0.0001 })
  const { id } = await service.succeed('POST', '/authors', { name: 'zanzibar name' })
  const query = '{ posts(where: {title: {contains: "zanzibar"}}, orderBy: [{title: DESC}]) { title author { name } } }'
  await service.succeed('POST', '/graphql', { query })
  await service.succeed('GET', `/authors/${id}?fields=name`)
  await service.succeed('PATCH', `/authors/${id}`, { name: 'other zanzibar' })

  const shapes = await until(
    async () => slow.map(({ shape }) => shape),
    (found) => found.includes('update Author'),
  )
  for (const shape of [
    'create Author',
    'Post list: title, author { name } where title contains order title DESC, id DESC',
    'Author by id: name',
    'update Author',
  ])
    assert.ok(shapes.includes(shape), `${shape} in ${JSON.stringify(shapes, null, 1)}`)
  const read = slow.find(({ shape }) => shape.startsWith('Post list'))!
  assert.match(read['db.query.text'], /SELECT[\s\S]*"Post"/)
  assert.ok(read.duration_ms >= 0)
  assert.ok(!JSON.stringify(slow).includes('zanzibar'))
})

test('slow groups name the index that would help, and none that is there', async (t) => {
  const slow: SlowQuery[] = []
  const warn = (fields: object, message: string) => void (message === 'slow query' && slow.push(fields as SlowQuery))
  const log = { info() {}, warn, error: console.error }
  const shop = `
    type Order @allow { id: ID! status: String! country: String! number: Int! @index total: Decimal! }
  `
  const service = await TestService.open(t, shop, { log, slowQueryMs: 0.0001 })
  const hintOf = async (path: string) => {
    slow.length = 0
    await service.succeed('GET', path)
    const [read] = await until(
      async () => slow.filter(({ shape }) => shape.startsWith('Order')),
      (found) => found.length > 0,
    )
    return read!.hint
  }
  const begin = 'An index would help the groups of orders:'
  assert.equal(
    await hintOf('/orders?groupBy=status&fields=status,_sum.total&country=NO'),
    `${begin} @index(with: ["status"]) on Order.country.`,
  )
  assert.equal(await hintOf('/orders?groupBy=status&fields=status,_count'), `${begin} @index on Order.status.`)
  assert.equal(await hintOf('/orders?groupBy=number&fields=number,_count'), undefined)
  assert.equal(await hintOf('/orders?groupBy=&fields=_count'), undefined)
})

test('a fast statement is not logged, and 0 logs none', async (t) => {
  for (const slowQueryMs of [60_000, 0]) {
    const messages: string[] = []
    const note = (_fields: object, message: string) => void messages.push(message)
    const service = await TestService.open(t, sdl, { log: { info: note, warn: note, error: note }, slowQueryMs })
    await service.succeed('POST', '/authors', { name: 'a' })
    await service.succeed('GET', '/authors')
    assert.ok(!messages.includes('slow query'))
    await service.close()
  }
})
