// Reads the changes of a row (`GET /posts/{id}/changes`), and puts a version back (`POST /posts/{id}/reversions`).

import { client } from '../api/client.ts'
import { pageSize, type TypeModel } from '../api/model.ts'
import type { Row } from '../api/row.ts'
import { written } from '../edit/save.ts'

export interface RowChange {
  kind: 'CREATED' | 'UPDATED' | 'DELETED'
  version: number
  time: string
  /** Null: the user may not see it. */
  by: string | null
  via: string | null
  changed: readonly FieldChange[]
}

export interface FieldChange {
  field: string
  before: unknown
  after: unknown
}

export interface ChangesPage {
  changes: readonly RowChange[]
  /** Where older changes begin; null: there are none. */
  next: string | null
}

interface Connection {
  edges: readonly { node: RowChange }[]
  pageInfo: { hasNextPage: boolean; endCursor: string | null }
}

export async function readChanges(type: TypeModel, id: string, after: string | null): Promise<ChangesPage> {
  const from = after === null ? '' : `&after=${encodeURIComponent(after)}`
  const { data } = await client.rest.get<Connection>(`${pathOf(type, id)}/changes?first=${pageSize(20)}${from}`)
  const { edges, pageInfo } = data!
  return { changes: edges.map(({ node }) => node), next: pageInfo.hasNextPage ? pageInfo.endCursor : null }
}

/** Fails if somebody has changed the row since the page read it. */
export async function putBack(type: TypeModel, row: Row, version: number): Promise<void> {
  const headers = { 'if-match': `"${row._version}"` }
  await client.rest.post(`${pathOf(type, row.id)}/reversions`, { version }, { headers })
  written.value = [{ path: type.path, id: row.id, isNew: false }]
}

function pathOf(type: TypeModel, id: string): string {
  return `/${type.path}/${encodeURIComponent(id)}`
}
