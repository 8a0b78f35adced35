// The labels of rows that a history names by their ids: the values of references, and the accounts that made changes.

import { fieldNamed, model, type TypeModel, typeNamed } from '../api/model.ts'
import { readRowsUpTo } from '../api/read-rows.ts'
import type { RowChange } from './changes.ts'

/** Labels by `Type:id`. A row that is gone, or that the user may not read, has none. */
export type RowLabels = ReadonlyMap<string, string>

export function labelKey(type: string, id: string): string {
  return `${type}:${id}`
}

/** Who made a change, and whom they acted as, if anybody. */
export interface ChangeAuthor {
  /** `account:<id>`, `role:editor`. */
  text: string
  /** The id; null: it is no account. */
  account: string | null
}

/** Of `by`: `account:<id>`, or `operator:<id> as account:<id>`. */
export function authorsOf(by: string): ChangeAuthor[] {
  return by.split(' as ').map((text) => ({ text, account: /^account:(\S+)$/.exec(text)?.[1] ?? null }))
}

/** `type`: of the changed rows. */
export async function readLabels(
  type: TypeModel | undefined,
  changes: readonly Pick<RowChange, 'by' | 'changed'>[],
): Promise<RowLabels> {
  const wanted = new Map<TypeModel, Set<string>>()
  const add = (name: string, id: unknown) => {
    const to = typeNamed(name)
    if (to === undefined || to.label === null || to.kind === 'abstract' || typeof id !== 'string') return
    wanted.set(to, (wanted.get(to) ?? new Set()).add(id))
  }
  for (const change of changes) {
    for (const { account } of authorsOf(change.by ?? '')) add(model.value!.signIn?.type ?? '', account)
    for (const { field, before, after } of change.changed) {
      const known = type && fieldNamed(type, field)
      if (known?.kind === 'reference') for (const id of [before, after]) add(known.type, id)
    }
  }
  const parts = await Promise.all([...wanted].map(([to, ids]) => labelsOf(to, [...ids])))
  return new Map(parts.flat())
}

/** A filter names at most this many ids. */
const maxIds = 100

async function labelsOf(type: TypeModel, ids: readonly string[]): Promise<[key: string, label: string][]> {
  if (ids.length > maxIds) {
    const parts = [labelsOf(type, ids.slice(0, maxIds)), labelsOf(type, ids.slice(maxIds))]
    return (await Promise.all(parts)).flat()
  }
  const query = `id[in]=${ids.map(encodeURIComponent).join(',')}&fields=id,${type.label}`
  const { rows } = await readRowsUpTo(maxIds, type.path, query)
  return rows.flatMap((row) => {
    const label = row[type.label!]
    return label === null || label === undefined ? [] : [[labelKey(type.name, row.id), String(label)]]
  })
}
