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
  let after = ''
  for (;;) {
    const first = Math.min(max - rows.length, model.value!.limits.page)
    const { data } = await client.rest.get<RowPage>(`/${path}?${query}&first=${first}${after}`)
    const { edges, pageInfo } = data!
    rows.push(...edges.map(({ node }) => node))
    if (!pageInfo.hasNextPage || rows.length >= max) return { rows, hasMore: pageInfo.hasNextPage }
    after = `&after=${encodeURIComponent(pageInfo.endCursor!)}`
  }
}
