import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type Linked, LinkedList } from './linked-list.ts'

class Item implements Linked<Item> {
  earlier: Item | null = null
  later: Item | null = null
  readonly name: string
  readonly payload = new Array<number>(128).fill(0)

  constructor(name: string) {
    this.name = name
  }
}

function names(list: LinkedList<Item>): string {
  let all = ''
  for (let item = list.first; item !== null; item = item.later) all += item.name
  return all
}

test('items keep their order, wherever one is deleted', () => {
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => new Item(name)) as [Item, Item, Item, Item]
  const list = new LinkedList<Item>()
  assert.equal(list.first, null)
  for (const item of [a, b, c, d]) list.add(item)
  assert.deepEqual([names(list), list.size], ['abcd', 4])
  assert.equal(list.delete(b), true)
  assert.deepEqual([names(list), list.size, list.has(b), list.has(a)], ['acd', 3, false, true])
  assert.deepEqual([b.earlier, b.later], [null, null])
  assert.equal(list.delete(b), false)
  assert.equal(list.size, 3)
  list.delete(d)
  list.delete(a)
  list.add(b)
  assert.deepEqual([names(list), list.has(c)], ['cb', true])
  list.delete(c)
  list.delete(b)
  assert.deepEqual([names(list), list.first, list.size], ['', null, 0])
  list.add(d)
  assert.deepEqual([names(list), list.has(d)], ['d', true])
})

test('the garbage of items that came and went does not reach the old generation', () => {
  const list = new LinkedList<Item>()
  const set = new Set<Item>()
  const nothing = () => {}
  const withoutAny = promotedBytes(nothing, nothing)
  const byList = promotedBytes(list.add.bind(list), list.delete.bind(list)) - withoutAny
  const bySet = promotedBytes(set.add.bind(set), set.delete.bind(set)) - withoutAny
  assert.ok(byList < bySet / 5, `the list left ${byList} bytes in the old generation, a Set ${bySet}`)
})

/** By how much the old generation grows while 50,000 items come and go, 24 at a time. */
function promotedBytes(add: (item: Item) => unknown, remove: (item: Item) => unknown): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (options: { type: 'minor' | 'major'; execution: 'sync' }) => void
  const usedBytes = () => getHeapSpaceStatistics().find((space) => space.space_name === 'old_space')!.space_used_size
  const current: Item[] = []
  collect({ type: 'major', execution: 'sync' })
  const before = usedBytes()
  for (let n = 0; n < 50_000; n++) {
    const item = new Item(String(n))
    add(item)
    const oldest = current[n % 24]
    if (oldest !== undefined) remove(oldest)
    current[n % 24] = item
    if (n % 500 === 0) collect({ type: 'minor', execution: 'sync' })
  }
  return usedBytes() - before
}
