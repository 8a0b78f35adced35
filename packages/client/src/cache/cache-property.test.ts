// Compares the cache with the simplest possible cache, for random queries, responses, optimistic layers and deletes. The
// simplest cache is one map of fields, without compiled selections or memos.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { operationOf } from '../document/operation.ts'
import type { Data } from '../document/selection.ts'
import { Cache } from './cache.ts'
import { show } from './query-watcher.ts'

interface SelectedField {
  key: string
  name: string
  n?: number
  below: SelectedField[] | null
}

/** The rows of the server, by key. */
type World = Record<string, Record<string, unknown>>

const ids = ['1', '2', '3']
const types = ['A', 'B'] as const

const leaf = fc.record({
  key: fc.constantFrom('x', 'y', 'z', 'w'),
  name: fc.constantFrom('x', 'y'),
  n: fc.option(fc.constantFrom(1, 2), { nil: undefined }),
})
const { fields } = fc.letrec<{ fields: SelectedField[] }>((tie) => ({
  fields: fc
    .tuple(
      fc.array(leaf, { minLength: 1, maxLength: 3 }),
      fc.option(fc.tuple(fc.constantFrom('one', 'many'), tie('fields')), { nil: null, depthSize: 'small' }),
      fc.option(fc.subarray(['p', 'q'], { minLength: 1 }), { nil: null }),
      fc.boolean(),
    )
    .map(([leaves, link, own, hasId]) => {
      const selected: SelectedField[] = leaves.map(({ key, name, n }) =>
        n === undefined
          ? { key: `${key}${name}`, name, below: null }
          : { key: `${key}${name}${n}`, name, n, below: null },
      )
      if (hasId || link !== null) selected.push({ key: 'id', name: 'id', below: null })
      if (link !== null) selected.push({ key: link[0], name: link[0], below: link[1] })
      if (own !== null)
        selected.push({ key: 'own', name: 'own', below: own.map((name) => ({ key: name, name, below: null })) })
      return [...new Map(selected.map((field) => [field.key, field])).values()]
    }),
}))
/** A row at the root always selects its id. Without one it would belong to its owner. */
const bound = fc
  .record({ type: fc.constantFrom(...types), id: fc.constantFrom(...ids), fields })
  .map(({ type, id, fields }) => {
    const below = withIds(fields)
    return { type, id, below, text: `{ row(type: ${type}, id: "${id}") { ${textOf(below)} } }` }
  })
type BoundQuery = { type: string; id: string; below: SelectedField[]; text: string }

const change = fc.record({
  row: fc.tuple(fc.constantFrom(...types), fc.constantFrom(...ids)).map(([type, id]) => `${type}:${id}`),
  field: fc.oneof(
    fc.record({ name: fc.constantFrom('x', 'y'), value: fc.nat(3) }),
    fc.record({ name: fc.constant('one'), value: fc.option(rowKey(), { nil: null }) }),
    fc.record({ name: fc.constant('many'), value: fc.array(rowKey(), { maxLength: 3 }) }),
    fc.record({ name: fc.constant('own'), value: fc.option(fc.record({ p: fc.nat(3), q: fc.nat(3) }), { nil: null }) }),
  ),
})
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('query' as const), bound, changes: fc.array(change, { maxLength: 3 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('hope' as const), bound, changes: fc.array(change, { maxLength: 3 }) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('take' as const), which: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), row: rowKey() }) },
)

test('the cache reads the same as the simplest possible cache, and notifies watchers of each change', () => {
  const seed = Number(process.env.TWAIN_PROPERTY_SEED ?? 11)
  const numRuns = Number(process.env.TWAIN_PROPERTY_RUNS ?? 150)
  fc.assert(fc.property(fc.array(step, { minLength: 1, maxLength: 25 }), play), { seed, numRuns })
})

function play(steps: (typeof step extends fc.Arbitrary<infer T> ? T : never)[]): void {
  const world: World = Object.fromEntries(
    types.flatMap((type) => ids.map((id) => [`${type}:${id}`, { x: 0, y: 0, one: null, many: [], own: null }])),
  )
  const cache = new Cache()
  const plain = new PlainCache()
  // The test keeps a reference to each bound operation, as a watch does. The operation cache may drop texts and parse them
  // again.
  const queries = new Map<string, { bound: BoundQuery; operation: ReturnType<typeof bind> }>()
  const watched = new Map<string, { shown: Data | undefined }>()
  const layers: { ours: () => void; theirs: () => void }[] = []
  for (const one of steps) {
    if (one.do === 'take') {
      const [layer] = layers.splice(one.which % Math.max(1, layers.length), 1)
      layer?.ours()
      layer?.theirs()
    } else if (one.do === 'remove') {
      cache.remove(one.row)
      plain.remove(one.row)
    } else {
      const { bound } = one
      // Optimistic data is about a state that may never exist.
      const served = one.do === 'query' ? world : structuredClone(world)
      for (const { row, field } of one.changes) served[row]![field.name] = field.value
      const data = { row: answer(served, `${bound.type}:${bound.id}`, bound.below) }
      const operation = queries.get(bound.text)?.operation ?? bind(bound.text)
      if (one.do === 'query') {
        cache.write(operation, data)
        plain.write(bound, data.row)
      } else
        layers.push({
          ours: cache.layer(() => cache.write(operation, data, { isBorrowed: true })),
          theirs: plain.layer(() => plain.write(bound, data.row)),
        })
      queries.set(bound.text, { bound, operation })
      if (!watched.has(bound.text)) {
        const state: { shown: Data | undefined } = { shown: undefined }
        const listener = {
          [show](next: Data | undefined) {
            state.shown = next
          },
        }
        cache.watcher(operation, 0).join(listener)
        state.shown = cache.read(operation)
        watched.set(bound.text, state)
      }
    }
    for (const [text, { bound, operation }] of queries) {
      const expected = plain.read(bound)
      const read = cache.read(operation)
      assert.deepEqual(read, expected === undefined ? undefined : { row: expected }, text)
      assert.equal(watched.get(text)!.shown, read, `notified of ${text}`)
    }
  }
}

const bind = (text: string) => operationOf(text).bind({})

function rowKey() {
  return fc.tuple(fc.constantFrom(...types), fc.constantFrom(...ids)).map(([type, id]) => `${type}:${id}`)
}

function withIds(fields: SelectedField[]): SelectedField[] {
  const below = fields.map((field) =>
    field.below === null || field.name === 'own' ? field : { ...field, below: withIds(field.below) },
  )
  return below.some(({ key }) => key === 'id') ? below : [...below, { key: 'id', name: 'id', below: null }]
}

function textOf(fields: SelectedField[]): string {
  return fields
    .map(({ key, name, n, below }) => {
      const args = n === undefined ? '' : `(n: ${n})`
      return `${key}: ${name}${args}${below === null ? '' : ` { ${textOf(below)} }`}`
    })
    .join(' ')
}

/** The server's response for a row. */
function answer(world: World, key: string, fields: SelectedField[]): Data {
  const [type, id] = key.split(':') as [string, string]
  const row = world[key]!
  const data: Data = { __typename: type }
  for (const { key: as, name, n, below } of fields) {
    const value = row[name]
    if (name === 'id') data[as] = id
    else if (below === null) data[as] = n === undefined ? value : `${value}/${n}`
    else if (value === null) data[as] = null
    else if (name === 'own')
      data[as] = Object.fromEntries([['__typename', 'Own'], ...below.map(({ name }) => [name, (value as Data)[name]])])
    else if (name === 'one') data[as] = answer(world, value as string, below)
    else data[as] = (value as string[]).map((one) => answer(world, one, below))
  }
  return data
}

interface Link {
  to: string
}

/** Fields by owner and name. An object without an id has a name that no other object has. */
class PlainCache {
  #base = new Map<string, unknown>()
  #layers: { make: () => void; patch: Map<string, unknown> }[] = []
  #isInLayer = false
  #names = 0

  #see(at: string): unknown {
    for (const { patch } of this.#layers.toReversed()) {
      // A row that a layer deletes, or creates again, hides the layers below.
      if (patch.has(at)) return patch.get(at)
      if (patch.get(`${at.split('|')[0]}|deleted`) === true) return undefined
    }
    return this.#base.get(at)
  }

  /** An optimistic layer stays on top of a row that the server deletes in the meantime. */
  #put(at: string, value: unknown): void {
    if (!this.#isInLayer) this.#base.set(at, value)
    else if (JSON.stringify(this.#see(at)) !== JSON.stringify(value)) {
      const { patch } = this.#layers.at(-1)!
      patch.set(at, value)
      patch.set(`${at.split('|')[0]}|deleted`, false)
    }
  }

  #known(at: string): unknown {
    return this.#isInLayer ? this.#see(at) : this.#base.get(at)
  }

  write({ type, id, below }: BoundQuery, data: Data): void {
    this.#write(`${type}:${id}`, below, data)
    this.#put(`root|${type}:${id}`, true)
  }

  #write(owner: string, fields: SelectedField[], data: Data): void {
    if (this.#known(`${owner}|deleted`) === true) this.#put(`${owner}|deleted`, false)
    this.#put(`${owner}|__typename`, data.__typename)
    for (const { key, name, n, below } of fields) {
      const at = `${owner}|${name}${n ?? ''}`
      const value = data[key]
      if (below === null || value === null) this.#put(at, value)
      else if (Array.isArray(value))
        this.#put(
          at,
          value.map((item) => this.#row(item, below)),
        )
      else if (name === 'one') this.#put(at, this.#row(value as Data, below))
      else {
        const previous = this.#known(at) as Link | null | undefined
        const own = previous?.to ?? `own ${++this.#names}`
        this.#write(own, below, value as Data)
        this.#put(at, { to: own })
      }
    }
  }

  #row(data: Data, below: SelectedField[]): Link {
    const key = `${data.__typename}:${data.id}`
    this.#write(key, below, data)
    return { to: key }
  }

  remove(row: string): void {
    const isKnown = [...this.#base.keys(), ...this.#layers.flatMap(({ patch }) => [...patch.keys()])].some((at) =>
      at.startsWith(`${row}|`),
    )
    if (!isKnown || this.#see(`${row}|deleted`) === true) return
    for (const at of [...this.#base.keys()]) if (at.startsWith(`${row}|`)) this.#base.delete(at)
    this.#base.set(`${row}|deleted`, true)
  }

  layer(make: () => void): () => void {
    const layer = { make, patch: new Map<string, unknown>() }
    this.#make(layer)
    return () => {
      const place = this.#layers.indexOf(layer)
      const above = this.#layers.slice(place + 1)
      this.#layers = this.#layers.slice(0, place)
      for (const other of above) {
        other.patch.clear()
        this.#make(other)
      }
    }
  }

  #make(layer: { make: () => void; patch: Map<string, unknown> }): void {
    this.#layers.push(layer)
    this.#isInLayer = true
    layer.make()
    this.#isInLayer = false
  }

  read({ type, id, below }: BoundQuery): unknown {
    const key = `${type}:${id}`
    if (this.#see(`root|${key}`) === undefined) return undefined
    return this.#see(`${key}|deleted`) === true ? null : this.#read(key, below)
  }

  #read(owner: string, fields: SelectedField[]): Data | undefined {
    const data: Data = {}
    for (const { key, name, n, below } of [
      ...fields,
      { key: '__typename', name: '__typename', n: undefined, below: null },
    ]) {
      const value = this.#see(`${owner}|${name}${n ?? ''}`)
      if (value === undefined) return undefined
      const follow = ({ to }: Link) => this.#read(to, below!)
      if (below === null || value === null) data[key] = value
      else if (Array.isArray(value)) {
        const there = (value as Link[]).filter(({ to }) => this.#see(`${to}|deleted`) !== true).map(follow)
        if (there.includes(undefined)) return undefined
        data[key] = there
      } else {
        const isDeleted = this.#see(`${(value as Link).to}|deleted`) === true
        const read = isDeleted ? null : follow(value as Link)
        if (read === undefined) return undefined
        data[key] = read
      }
    }
    return data
  }
}
