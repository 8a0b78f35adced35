// What follows from a row (search words, defaults, times that the server sets) is right for rows of either schema, within a second, while
// nodes with both schemas serve one database, and after a rollback.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { testedStore } from '../../packages/twain/src/store/test-place.fixture.ts'
import { ChangingService } from '../harness/changing-service.ts'
import { until } from '../harness/until.ts'

const older = 'type Star { id: ID! name: String! @search bio: String }'
const newer = `
  type Star {
    id: ID!
    name: String! @search
    bio: String @search
    level: Int! @default(value: 3)
    made: DateTime! @auto(set: CREATE_TIME)
    changed: DateTime! @auto(set: UPDATE_TIME)
  }
`
type Row = Record<string, string>

async function row(service: ChangingService, id: string): Promise<Row> {
  return (await service.rest('GET', `/stars/${id}`)).body as Row
}

const found = async (service: ChangingService, search: string) =>
  ((await service.rest('GET', `/stars?search=${search}&fields=id`)).body as { id: string }[]).map(({ id }) => id)

test('an older schema that is served again keeps times and defaults of fields that it does not know', async (t) => {
  const service = await ChangingService.open(older)
  t.after(() => service.close())
  await service.rest('PUT', '/stars/a', { name: 'Sirius' })
  await service.change(newer)
  await service.rest('PUT', '/stars/b', { name: 'Vega' })
  const before = await row(service, 'b')
  await service.change(older)
  const from = new Date().toISOString()
  await pause(2)
  await service.rest('PATCH', '/stars/b', { bio: 'blue' })
  await service.rest('PUT', '/stars/c', { name: 'Deneb' })
  await service.change(newer)
  const [b, c] = [await row(service, 'b'), await row(service, 'c')]
  assert.equal(b.made, before.made)
  assert.ok(b.changed! > from, `${b.changed} > ${from}`)
  assert.deepEqual([c.level, c.made! > from, c.changed! > from], [3, true, true])
  const logged = await until(
    async () => {
      const { body } = await service.rest('GET', '/changes?resource=stars&first=10')
      return (body as { edges: { node: { data: Row } }[] }).edges.map(({ node }) => node.data)
    },
    ({ length }) => length === 4,
  )
  assert.deepEqual(
    logged.slice(-2).map(({ changed }) => changed),
    [b.changed, c.changed],
  )
  assert.deepEqual(await found(service, 'blue'), ['b'])
})

const skip = testedStore !== 'postgres' && 'Two nodes need PostgreSQL.'

for (const [title, isNewerLast] of [
  ['a newer node beside an older one', true],
  ['an older node that starts beside a newer one', false],
] as const) {
  test(`${title}: search, times and defaults of both`, { skip }, async (t) => {
    const running = await ChangingService.open(older)
    t.after(() => running.close())
    if (!isNewerLast) await running.change(newer)
    const started = await ChangingService.open(isNewerLast ? newer : older, running)
    t.after(() => started.close())
    const [old, young] = isNewerLast ? [running, started] : [started, running]
    await young.rest('PUT', '/stars/a', { name: 'Sirius', bio: 'bright nebula' })
    assert.deepEqual(await found(young, 'nebula'), ['a'])
    const { made, changed } = await row(young, 'a')
    await pause(2)
    await old.rest('PATCH', '/stars/a', { name: 'Canicula' })
    await old.rest('PUT', '/stars/b', { name: 'Vega', bio: 'in a nebula' })
    const since = performance.now()
    const search = await until(
      () => found(young, 'nebula'),
      (ids) => ids.length === 2,
    )
    assert.deepEqual(search, ['a', 'b'])
    t.diagnostic(`the words were there after ${Math.round(performance.now() - since)} ms`)
    // Both nodes find both from now on: neither undoes the words of the other.
    for (let turn = 0; turn < 3; turn++) {
      assert.deepEqual(await found(old, 'canicula'), ['a'])
      assert.deepEqual(await found(young, 'canicula'), ['a'])
      assert.deepEqual(await found(young, 'nebula'), ['a', 'b'])
      await pause(300)
    }
    const [a, b] = [await row(young, 'a'), await row(young, 'b')]
    assert.deepEqual([a.made, b.level], [made, 3])
    assert.ok(a.changed! > changed!, `${a.changed} > ${changed}`)
    assert.ok(b.made! > changed! && b.changed! > changed!)
  })
}
