// The rows of one query, loaded page by page as they come into view. Only the newest request counts.

import { signal } from '@preact/signals'
import { client, type Failure, failureOf } from '../api/client.ts'
import { pageSize } from '../api/model.ts'
import { readRowsUpTo } from '../api/read-rows.ts'
import type { Row } from '../api/row.ts'
import { maxCellLength } from './cell.tsx'

interface Page {
  edges: { node: Row }[]
  pageInfo: { hasNextPage: boolean; endCursor: string | null }
}

const firstPageSize = 50
/** A filter names at most this many ids. */
const maxIds = 100

export class RowList {
  readonly rows = signal<readonly Row[]>([])
  readonly hasMore = signal(true)
  readonly isLoading = signal(false)
  readonly failure = signal<Failure | null>(null)
  readonly total = signal<number | null>(null)
  readonly #path: string
  readonly #query: string
  readonly #countQuery: string
  #cursor: string | null = null
  #pageSize: number
  #isEnded = false
  #loading: Promise<void> = Promise.resolve()

  /** `path` of the collection, `query` without the page. */
  constructor(path: string, query: string, countQuery: string) {
    this.#path = path
    this.#query = query
    this.#countQuery = countQuery
    this.#pageSize = pageSize(firstPageSize)
  }

  /** Loads the next page, unless one is being loaded. */
  loadMore(): Promise<void> {
    if (!this.isLoading.value && this.hasMore.value && this.failure.value === null) this.#loading = this.#loadNext()
    return this.#loading
  }

  async #loadNext(): Promise<void> {
    this.isLoading.value = true
    try {
      const page = await this.#load()
      if (this.#isEnded) return
      this.rows.value = [...this.rows.value, ...page.edges.map(({ node }) => node)]
      this.#cursor = page.pageInfo.endCursor
      this.hasMore.value = page.pageInfo.hasNextPage
    } catch (error) {
      if (!this.#isEnded) this.failure.value = failureOf(error)
    } finally {
      this.isLoading.value = false
    }
  }

  /** Reads a row again that was written, if it is here. One that is gone leaves the list. */
  async refresh(typePath: string, id: string): Promise<void> {
    if (!this.rows.value.some((row) => row.id === id)) return
    try {
      const row = await this.readWhole(typePath, id)
      this.rows.value = this.rows.value.flatMap((one) => (one.id === id ? (row ?? []) : [one]))
    } catch (error) {
      if (!this.#isEnded) this.failure.value = failureOf(error)
    }
  }

  /** The row with whole texts; null: it is gone. */
  readWhole(typePath: string, id: string): Promise<Row | null> {
    return readRow(typePath, id, new URLSearchParams(this.#query).get('fields')!)
  }

  async count(): Promise<void> {
    try {
      const { headers } = await client.rest.get(`/${this.#path}?${this.#countQuery}`, {
        headers: { prefer: 'count=estimated' },
      })
      this.total.value = Number(headers.get('x-total-count'))
    } catch (error) {
      this.failure.value = failureOf(error)
    }
  }

  /** Resolves when the page that is being loaded is there. */
  settled(): Promise<void> {
    return this.#loading
  }

  /** Puts a row that was read again in its place. */
  put(row: Row): void {
    this.rows.value = this.rows.value.map((one) => (one.id === row.id ? row : one))
  }

  /** Reads the first page again: what came too late for it is put in its place. Returns the ids of these rows. */
  async revalidate(): Promise<readonly string[]> {
    await this.#loading
    if (this.rows.value.length === 0 || this.#isEnded) return []
    const { data } = await this.#request(null)
    const versions = new Map(this.rows.value.map(({ id, _version }) => [id, _version]))
    const changed = data!.edges.filter(({ node }) => versions.has(node.id) && versions.get(node.id) !== node._version)
    for (const { node } of changed) this.put(node)
    return changed.map(({ node }) => node.id)
  }

  /** Of rows that are not in the list, those that its filters find. */
  async matching(ids: readonly string[]): Promise<readonly string[]> {
    const found: string[] = []
    for (let start = 0; start < ids.length; start += maxIds) {
      const some = ids.slice(start, start + maxIds)
      const query = new URLSearchParams(this.#countQuery)
      query.delete('limit')
      query.append('id[in]', some.join(','))
      const { rows } = await readRowsUpTo(some.length, this.#path, String(query))
      found.push(...rows.map(({ id }) => id))
    }
    return found
  }

  /** Another query has taken its place. */
  end(): void {
    this.#isEnded = true
  }

  /** Many columns make a page costly: a smaller one may pass (`limits.cost`). */
  async #load(): Promise<Page> {
    for (;;) {
      try {
        const { data } = await this.#request(this.#cursor)
        return data!
      } catch (error) {
        if (failureOf(error).code !== 'QUERY_TOO_COSTLY' || this.#pageSize === 1) throw error
        this.#pageSize = Math.ceil(this.#pageSize / 2)
      }
    }
  }

  #request(cursor: string | null): Promise<{ data: Page | undefined }> {
    const after = cursor === null ? '' : `&after=${encodeURIComponent(cursor)}`
    return client.rest.get<Page>(`/${this.#path}?${this.#query}&first=${this.#pageSize}${after}`, {
      headers: { prefer: `cut=${maxCellLength}` },
    })
  }
}

async function readRow(path: string, id: string, fields: string): Promise<Row | null> {
  try {
    const { data } = await client.rest.get<Row>(`/${path}/${encodeURIComponent(id)}?fields=${fields}`)
    return data!
  } catch (error) {
    if (failureOf(error).status !== 404) throw error
    return null
  }
}
