// Reads the rows that a query finds, page by page: a page has at most `limits.page` rows.

import { client } from './client.ts'
import { pageSize } from './model.ts'
import type { Row } from './row.ts'

interface RowPage<T> {
  edges: readonly { node: T }[]
  pageInfo: { hasNextPage: boolean; endCursor: string | null }
}

export interface SomeRows<T = Row> {
  rows: readonly T[]
  /** Whether the query finds more than `max` rows. */
  hasMore: boolean
}

/** `query` without the page. */
export async function readRowsUpTo<T = Row>(max: number, path: string, query: string): Promise<SomeRows<T>> {
  const rows: T[] = []
  for await (const page of readPages<T>(max, path, query)) {
    rows.push(...page.rows)
    if (rows.length >= max) return { rows, hasMore: page.hasMore }
  }
  return { rows, hasMore: false }
}

/** All rows that the query finds, a page at a time, of `max` rows at most. Rows that leave the query meanwhile move nothing. */
export async function* readPages<T = Row>(max: number, path: string, query: string): AsyncGenerator<SomeRows<T>> {
  const first = pageSize(max)
  let after = ''
  for (;;) {
    const { data } = await client.rest.get<RowPage<T>>(`/${path}?${query}&first=${first}${after}`)
    const { edges, pageInfo } = data!
    yield { rows: edges.map(({ node }) => node), hasMore: pageInfo.hasNextPage }
    if (!pageInfo.hasNextPage) return
    after = `&after=${encodeURIComponent(pageInfo.endCursor!)}`
  }
}
