// Twain's REST API, with the client's token, retries and cache. A read sends its cached `ETag`, and its rows update every
// query that reads them.

import type { Cache } from '../cache/cache.ts'
import type { Node } from '../cache/node.ts'
import type { Data } from '../document/selection.ts'
import { parseJson } from '../errors.ts'
import { type Http, httpError } from '../transport/http.ts'
import { writeRow } from './write-row.ts'

export interface RestResult<T> {
  data: T | undefined
  status: number
  headers: Headers
}

export interface RestOptions {
  headers?: Record<string, string>
  signal?: AbortSignal
}

interface CachedResponse {
  etag: string
  data: unknown
}

/** The maximum number of cached responses for revalidation. */
const maxCachedResponses = 200

export class RestApi {
  readonly #http: Http
  readonly #base: string
  readonly #cache: Cache
  readonly #responses = new Map<string, CachedResponse>()

  constructor(http: Http, base: string, cache: Cache) {
    this.#http = http
    this.#base = base
    this.#cache = cache
  }

  async send<T>(
    method: string,
    path: string,
    body: unknown,
    key: string | undefined,
    options: RestOptions,
  ): Promise<RestResult<T>> {
    const isRead = method === 'GET'
    const last = isRead ? this.#responses.get(path) : undefined
    const order = this.#cache.begin()
    try {
      const reply = await this.#http.send(`${this.#base}${path}`, {
        method,
        headers: {
          accept: 'application/json',
          ...(last && { 'if-none-match': last.etag }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(key !== undefined && { 'idempotency-key': key }),
          ...options.headers,
        },
        body: body === undefined ? undefined : JSON.stringify(body),
        signal: options.signal,
        isSafe: isRead || method === 'PUT' || method === 'DELETE' || key !== undefined,
      })
      const { status, headers } = reply
      if (status === 304 && last !== undefined) return { data: last.data as T, status, headers }
      if (status >= 400) throw httpError(reply)
      const data = reply.text === '' ? undefined : parseJson(reply.text)
      const etag = headers.get('etag')
      if (isRead && etag !== null) this.#cacheResponse(path, { etag, data })
      if (method === 'DELETE') this.#remove(path)
      // Of a page with `Prefer: cut=200`, the cache would show shortened texts as whole ones.
      else if (!headers.get('preference-applied')?.includes('cut')) this.#write(path, data, etag, order)
      return { data: data as T, status, headers }
    } finally {
      this.#cache.end(order)
    }
  }

  #cacheResponse(path: string, answer: CachedResponse): void {
    this.#responses.delete(path)
    this.#responses.set(path, answer)
    if (this.#responses.size > maxCachedResponses) this.#responses.delete(this.#responses.keys().next().value!)
  }

  #write(path: string, data: unknown, etag: string | null, order: number): void {
    const rows = Array.isArray(data)
      ? data
      : ((data as { edges?: { node: Data }[] })?.edges?.map(({ node }) => node) ?? [data])
    const version =
      rows.length === 1 && rows[0] === data ? Number(/^(?:W\/)?"(\d+)-/.exec(etag ?? '')?.[1]) : Number.NaN
    this.#cache.transact(() => {
      for (const row of rows as (Data | null | undefined)[]) {
        const node = nodeAt(this.#cache, path, row?.id)
        if (node !== undefined) writeRow(this.#cache, node, row!, order, Number.isNaN(version) ? undefined : version)
      }
    })
  }

  #remove(path: string): void {
    const id = /([^/?]+)(?:\?.*)?$/.exec(path)?.[1]
    const node = nodeAt(this.#cache, path, id)
    if (node !== undefined) this.#cache.remove(node.key!)
  }
}

/** The node of a row at a path. REST responses have no types, so among several rows with the id, the path's name decides. */
function nodeAt(cache: Cache, path: string, id: unknown): Node | undefined {
  const nodes = cache.withId(id)
  const named = ({ type }: Node) =>
    path.includes(
      `/${type
        .replace(/(?<=[a-z0-9])(?=[A-Z])/g, '-')
        .toLowerCase()
        .slice(0, -1)}`,
    )
  return nodes.length > 1 ? nodes.find(named) : nodes[0]
}
