// Asks the server what somebody may do with a row, and which rules decide: `GET /posts/{id}/access?as=…`, for administrators.

import { client, type Failure } from '../api/client.ts'
import { model, type TypeModel } from '../api/model.ts'
import type { Row } from '../api/row.ts'

export interface RowAccess {
  viewer: { account: string | null; roles: readonly string[]; verified: boolean; locked: boolean }
  answers: readonly AccessAnswer[]
}

export interface AccessAnswer {
  action: 'READ' | 'UPDATE' | 'DELETE'
  /** Null: the row itself. */
  field: string | null
  /** Of a transition. */
  from: string | null
  to: string | null
  /** Null: it depends on values that the user may not read. */
  allowed: boolean | null
  because: string
  rules: readonly { rule: string; place: string; holds: boolean | null }[]
}

/** Whether the user may ask. */
export function isAdmin(): boolean {
  return model.value!.viewer.roles.includes('admin')
}

/** Whether the user may ask about rows of this type. */
export function mayExplain(type: TypeModel): boolean {
  return type.kind === 'rows' && isAdmin()
}

/** `as`: null for the user, `nobody`, `role:editor` or `account:<id>`. */
export async function readAccess(type: TypeModel, { id }: Row, as: string | null): Promise<RowAccess> {
  const query = as === null ? '' : `?as=${encodeURIComponent(as)}`
  const { data } = await client.rest.get<RowAccess>(`/${type.path}/${encodeURIComponent(id)}/access${query}`)
  return data!
}

/** Which fields of a row the rules have refused; null: the whole row. */
export function refusedFields({ details }: Pick<Failure, 'details'>): readonly (string | null)[] {
  const fields = details.map(({ path }) => path.split('.')[0]!.replace(/^_/, '') || null)
  return fields.length === 0 ? [null] : [...new Set(fields)]
}
