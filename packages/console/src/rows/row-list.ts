// The rows of one query, loaded page by page as they come into view. Only the newest request counts.

import { signal } from '@preact/signals'
import { client, type Failure, failureOf } from '../api/client.ts'
import type { Row } from '../api/row.ts'
import { maxCellLength } from './cell.tsx'

interface Page {
  edges: { node: Row }[]
  pageInfo: { hasNextPage: boolean; endCursor: string | null }
}

const firstPageSize = 50

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

  /** `path` of the collection, `query` without the page. */
  constructor(path: string, query: string, countQuery: string, maxPageSize: number) {
    this.#path = path
    this.#query = query
    this.#countQuery = countQuery
    this.#pageSize = Math.min(firstPageSize, maxPageSize)
  }

  /** Loads the next page, unless one is being loaded. */
  async loadMore(): Promise<void> {
    if (this.isLoading.value || !this.hasMore.value || this.failure.value !== null) return
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
    const row = await this.readWhole(typePath, id)
    this.rows.value = this.rows.value.flatMap((one) => (one.id === id ? (row ?? []) : [one]))
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

  /** Another query has taken its place. */
  end(): void {
    this.#isEnded = true
  }

  /** Many columns make a page costly: a smaller one may pass (`limits.cost`). */
  async #load(): Promise<Page> {
    for (;;) {
      try {
        const after = this.#cursor === null ? '' : `&after=${encodeURIComponent(this.#cursor)}`
        const { data } = await client.rest.get<Page>(`/${this.#path}?${this.#query}&first=${this.#pageSize}${after}`, {
          headers: { prefer: `cut=${maxCellLength}` },
        })
        return data!
      } catch (error) {
        if (failureOf(error).code !== 'QUERY_TOO_COSTLY' || this.#pageSize === 1) throw error
        this.#pageSize = Math.ceil(this.#pageSize / 2)
      }
    }
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
