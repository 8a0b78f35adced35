import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachStore, openTestStore } from '../../store.fixture.ts'

onEachStore('usage', (on) => {
  test('counts add up by day, and old days are deleted', async () => {
    const test = await openTestStore('type A { id: ID! b: Int }', { on })
    const { usage } = test.store
    await usage.add('2026-01-01', [{ path: 'A.b', client: 'web', requested: 1, returned: 2, apis: 1 }])
    const both = [
      { path: 'A.b', client: 'web', requested: 3, returned: 0, apis: 2 },
      { path: 'A', client: 'curl "8"', requested: 1, returned: 0, apis: 1 },
    ]
    await Promise.all([usage.add('2026-01-02', both), usage.add('2026-01-02', both.toReversed())])
    const rows = () => test.query('SELECT day, path, client, requested, returned FROM twain_usage ORDER BY day, path')
    const plain = async () => (await rows()).map((row) => Object.values(row).map(String).join(' '))
    assert.deepEqual(await plain(), ['2026-01-01 A.b web 1 2', '2026-01-02 A curl "8" 2 0', '2026-01-02 A.b web 6 0'])
    await usage.add('2026-01-02', [{ path: 'A', client: 'curl "8"', requested: 0, returned: 0, apis: 2 }])
    const { of } = await usage.last()
    const apisOf = (path: string) => of.get(path)!.by.map(({ rest, graphql }) => [rest, graphql])
    assert.deepEqual([apisOf('A.b'), apisOf('A')], [[['2026-01-01', '2026-01-02']], [['2026-01-02', '2026-01-02']]])
    await usage.deleteBefore('2026-01-02')
    assert.equal((await plain()).length, 2)
    await test.close()
  })

  test('a deprecated path keeps its first day, and a path that is no longer deprecated is deleted', async () => {
    const test = await openTestStore('type A { id: ID! }', { on })
    const { usage } = test.store
    assert.deepEqual(
      await usage.deprecatedSince(['A.b', 'A.c'], 1000),
      new Map(Object.entries({ 'A.b': 1000, 'A.c': 1000 })),
    )
    assert.deepEqual(
      await usage.deprecatedSince(['A.b', 'A.d'], 2000),
      new Map(Object.entries({ 'A.b': 1000, 'A.d': 2000 })),
    )
    assert.deepEqual(
      await usage.deprecatedSince(['A.b', 'A.d'], 3000),
      new Map(Object.entries({ 'A.b': 1000, 'A.d': 2000 })),
    )
    assert.deepEqual(await usage.deprecatedSince([], 3000), new Map())
    await test.close()
  })
})
