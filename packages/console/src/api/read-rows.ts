// Reads the rows that a query finds, page by page: a page has at most `limits.page` rows.

import { client } from './client.ts'
import { model } from './model.ts'
import type { Row } from './row.ts'

interface RowPage {
  edges: readonly { node: Row }[]
  pageInfo: { hasNextPage: boolean; endCursor: string | null }
}

export interface SomeRows {
  rows: readonly Row[]
  /** Whether the query finds more than `max` rows. */
  hasMore: boolean
}

/** `query` without the page. */
export async function readRowsUpTo(max: number, path: string, query: string): Promise<SomeRows> {
  const rows: Row[] = []
  for await (const page of readPages(max, path, query)) {
    rows.push(...page.rows)
    if (rows.length >= max) return { rows, hasMore: page.hasMore }
  }
  return { rows, hasMore: false }
}

/** All rows that the query finds, a page at a time, of `max` rows at most. Rows that leave the query meanwhile move nothing. */
export async function* readPages(max: number, path: string, query: string): AsyncGenerator<SomeRows> {
  const first = Math.min(max, model.value!.limits.page)
  let after = ''
  for (;;) {
    const { data } = await client.rest.get<RowPage>(`/${path}?${query}&first=${first}${after}`)
    const { edges, pageInfo } = data!
    yield { rows: edges.map(({ node }) => node), hasMore: pageInfo.hasNextPage }
    if (!pageInfo.hasNextPage) return
    after = `&after=${encodeURIComponent(pageInfo.endCursor!)}`
  }
}
