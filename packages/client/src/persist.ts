// `@twain/client/persist`: the cache as data, for server-side rendering and hydration, and stored across visits in IndexedDB
// or a file.

import type { Cache } from './cache/cache.ts'
import { deletedFields, failed, Node } from './cache/node.ts'
import { type Client, engineKey } from './client/client.ts'
import type { Storage } from './client/options.ts'

/** Rows by their keys: the type and the known fields; null: deleted. */
export type Snapshot = Readonly<Record<string, readonly [type: string, fields: unknown]>>

/** The whole cache as data for JSON, without optimistic layers. */
export function extract(client: Client): Snapshot {
  const entries = Array.from(
    client[engineKey].cache.nodes,
    ([key, { type, fields }]) => [key, [type, fields === deletedFields ? null : encodeAll(fields)]] as const,
  )
  return Object.fromEntries(entries)
}

/** Adds the data of another client; existing data stays. */
export function restore(client: Client, snapshot: Snapshot): void {
  const { cache } = client[engineKey]
  cache.transact(() => {
    for (const [key, [type, fields]] of Object.entries(snapshot)) {
      const node = cache.node(key, type)
      if (node.isNew) cache.put(node, fields === null ? deletedFields : decodeAll(fields, cache))
    }
  })
}

// A leaf is itself, unless it is an object: {"=": leaf}. A row is {"@": [key, type]}, an object of its owner {"#": [type,
// fields]}, a list a list, the pages of a connection {"~": runs}.

type Encoded = Record<string, unknown>

const encodeAll = (fields: object): Encoded =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([slot, value]) => (value === failed ? [] : [[slot, encode(value)]])),
  )

function encode(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Node)
    return value.key === null ? { '#': [value.type, encodeAll(value.fields)] } : { '@': [value.key, value.type] }
  if (!Array.isArray(value)) return { '=': value }
  if (value.some((item) => item?.sizes instanceof Map))
    return { '~': value.map(({ edges, sizes, ...run }) => ({ ...run, edges: edges.map(encode), sizes: [...sizes] })) }
  return value.some((item) => item instanceof Node || Array.isArray(item)) ? value.map(encode) : { '=': value }
}

const decodeAll = (fields: unknown, cache: Cache): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields as Encoded).map(([slot, value]) => [slot, decode(value, cache)]))

function decode(value: unknown, cache: Cache): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => decode(item, cache))
  const coded = value as { '='?: unknown; '@'?: [string, string]; '#'?: [string, unknown]; '~'?: EncodedRun[] }
  if (coded['@']) return cache.node(...coded['@'])
  if (coded['~'])
    return coded['~'].map((run) => ({
      ...run,
      edges: run.edges.map((edge) => decode(edge, cache)),
      sizes: new Map(run.sizes),
    }))
  if (!coded['#']) return coded['=']
  const [type, fields] = coded['#']
  const node = new Node(null, type)
  cache.put(node, decodeAll(fields, cache))
  return node
}

interface EncodedRun {
  edges: unknown[]
  sizes: [string | null, unknown][]
}

/** Restores the stored cache, and then stores it after each change, with a pause. The returned function stores it at once
 *  and ends this. */
export async function persist(client: Client, storage: Storage, { pause = 1000 } = {}): Promise<() => Promise<void>> {
  const { cache } = client[engineKey]
  const text = await storage.get()
  if (text !== null) restore(client, JSON.parse(text))
  let tick = cache.tick
  const save = async () => {
    if (tick === cache.tick) return
    tick = cache.tick
    await storage.set(JSON.stringify(extract(client)))
  }
  const timer = setInterval(() => save().catch(client[engineKey].onError), pause)
  ;(timer as { unref?: () => void }).unref?.()
  return async () => {
    clearInterval(timer)
    await save()
  }
}

/** An entry in IndexedDB. */
export function indexedDb(name: string): Storage {
  const { indexedDB } = globalThis as unknown as { indexedDB: BrowserDatabases }
  const open = promise(() => {
    const request = indexedDB.open(`twain-${name}`, 1)
    request.onupgradeneeded = () => request.result.createObjectStore('kept')
    return request
  })
  const store = async (mode: string) => (await open).transaction('kept', mode).objectStore('kept')
  return {
    get: async () =>
      ((await promise(
        (
          (objects) => () =>
            objects.get(name)
        )(await store('readonly')),
      )) as string) ?? null,
    set: async (text) => {
      const objects = await store('readwrite')
      await promise(() => objects.put(text, name))
    },
  }
}

/** A file, for Node, Deno and Bun. It is written under another name and then renamed, so that it is always complete. */
export function file(path: string): Storage {
  // Not imported: bundlers for browsers would try to resolve it.
  const { readFile, writeFile, rename } = process.getBuiltinModule('node:fs/promises')
  return {
    get: () => readFile(path, 'utf8').catch(() => null),
    set: async (text) => {
      await writeFile(`${path}.new`, text)
      await rename(`${path}.new`, path)
    },
  }
}

/** The part of IndexedDB that is used. */
interface BrowserDatabases {
  open(name: string, version: number): DatabaseRequest<BrowserDatabase> & { onupgradeneeded: () => void }
}

interface BrowserDatabase {
  createObjectStore(name: string): unknown
  transaction(name: string, mode: string): { objectStore(name: string): BrowserStore }
}

interface BrowserStore {
  get(key: string): DatabaseRequest<unknown>
  put(value: unknown, key: string): DatabaseRequest<unknown>
}

interface DatabaseRequest<T> {
  result: T
  error: unknown
  onsuccess: () => void
  onerror: () => void
}

function promise<T>(send: () => DatabaseRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const request = send()
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}
