// Saves all drafts in one transaction: `POST /batch`, each row with `If-Match`. One row alone is a request of its own.

import { signal } from '@preact/signals'
import { client, type Failure, failureOf } from '../api/client.ts'
import { fieldNamed, typeAt } from '../api/model.ts'
import { apiFields, type Row } from '../api/row.ts'
import { texts } from '../texts.ts'
import { type Draft, discard, drafts, isEqual, isNested, put, untouched } from './drafts.ts'
import { writesOf } from './writes-of.ts'
import { writtenValue } from './written-value.ts'

export const isSaving = signal(false)
export const saveFailure = signal<Failure | null>(null)

/** The rows that were written last, for the pages that show them. */
export const written = signal<readonly WrittenRow[]>([])

/** The rows that others wrote last. The table shows them already; a form reads its row again. */
export const changedByOthers = signal<readonly Pick<WrittenRow, 'path' | 'id'>[]>([])

export interface WrittenRow {
  path: string
  id: string
  isNew: boolean
  /** Whether it was created along with another row. */
  isNested?: true
  /** Of a new webhook: only this answer has it. */
  secret?: string
}

/** Returns whether everything was saved. */
export async function saveAll(): Promise<boolean> {
  if (isSaving.value || drafts.value.size === 0) return false
  if ([...drafts.value.values()].some(({ unparsed }) => Object.keys(unparsed).length > 0)) {
    saveFailure.value = { status: 0, code: 'UNPARSED', text: texts.unparsed, details: [] }
    return false
  }
  isSaving.value = true
  saveFailure.value = null
  try {
    return await save([...drafts.value.values()], true)
  } finally {
    isSaving.value = false
  }
}

async function save(all: readonly Draft[], mayRepeat: boolean): Promise<boolean> {
  try {
    const rows = await send(all)
    for (const draft of all) discard(draft)
    written.value = rows
    return true
  } catch (error) {
    const failure = failureOf(error)
    if (failure.code !== 'PRECONDITION_FAILED' && failure.status !== 404) {
      showErrors(all, failure)
      return false
    }
    const rebased = await Promise.all(all.map(rebase))
    for (const draft of rebased) put(draft)
    // Others changed only fields that these changes leave alone.
    if (mayRepeat && rebased.every(({ conflict }) => conflict === undefined)) return save(rebased, false)
    saveFailure.value = failure
    return false
  }
}

async function send(all: readonly Draft[]): Promise<WrittenRow[]> {
  const writes = writesOf(all)
  const bodies = new Map<Draft, Row>()
  const [only] = writes
  if (writes.length === 1) {
    const { method, path, headers, body } = only!.operation
    const write = method === 'POST' ? client.rest.post : client.rest.patch
    const { data } = await write<Row>(path, body, { headers })
    bodies.set(only!.draft, data!)
  } else {
    const operations = writes.map(({ operation }) => operation)
    const { data } = await client.rest.post<{ body: Row }[]>('/batch', operations)
    for (const [index, { draft }] of writes.entries()) bodies.set(draft, data![index]!.body)
  }
  return all.map((draft) => writtenRow(draft, bodies.get(draft)))
}

function writtenRow(draft: Draft, row: Row | undefined): WrittenRow {
  const { path, id } = draft
  const secret = path === 'webhooks' ? (row?.secret as string | undefined) : undefined
  return {
    path,
    id: id ?? row!.id,
    isNew: id === null,
    ...(isNested(draft) && { isNested: true }),
    ...(secret && { secret }),
  }
}

/** Puts each mistake beside its field. A place of a batch begins with the number of the operation. */
function showErrors(all: readonly Draft[], failure: Failure): void {
  const writes = writesOf(all)
  const errors = new Map(all.map((draft): [Draft, Record<string, string>] => [draft, {}]))
  for (const { path, message } of failure.details) {
    const [, number, inside] = /^(\d+)\.(.+)$/.exec(path) ?? []
    const index = writes.length === 1 ? 0 : Number(number)
    const [field] = (writes.length === 1 ? path : (inside ?? '')).split('.')
    const draft = writes[index]?.draft
    if (draft !== undefined && field) errors.get(draft)![field] = message
  }
  for (const [draft, found] of errors) put({ ...draft, errors: found })
  saveFailure.value = failure
}

/** What the rules have refused: fields, or whole rows (null). A place of a batch begins with the number of the operation. */
export function refusedParts({ code, details }: Failure): { draft: Draft; field: string | null }[] {
  if (code !== 'FORBIDDEN') return []
  const writes = writesOf([...drafts.value.values()])
  const paths = details.length === 0 ? [''] : details.map(({ path }) => path)
  return paths.flatMap((path) => {
    const names = path.split('.')
    const write = writes[writes.length === 1 ? 0 : Number(names.shift())]
    return write === undefined ? [] : [{ draft: write.draft, field: names[0]?.replace(/^_/, '') || null }]
  })
}

/** Compares a draft with the row as it is now: what only others changed is no conflict. */
async function rebase(draft: Draft): Promise<Draft> {
  const type = typeAt(draft.path)
  if (draft.id === null || type === undefined) return draft
  const touched = [...Object.keys(draft.changes), ...Object.keys(draft.nested)]
  const fields = touched.flatMap((name) => fieldNamed(type, name) ?? []).filter(({ kind }) => kind !== 'list')
  const names = ['id', '_version', ...fields.flatMap(apiFields)]
  try {
    const { data } = await client.rest.get<Row>(
      `/${draft.path}/${encodeURIComponent(draft.id)}?fields=${names.join(',')}`,
    )
    const version = Number(data!._version)
    const now = Object.fromEntries(fields.map((field) => [field.name, writtenValue(field, data![field.name])]))
    const disputed = Object.entries(now).filter(([name, value]) => !isEqual(value, draft.before[name]))
    const { conflict: _, ...rest } = draft
    if (disputed.length === 0) return { ...rest, version }
    return { ...rest, conflict: { version, now: Object.fromEntries(disputed) } }
  } catch (error) {
    if (failureOf(error).status !== 404) throw error
    return { ...draft, conflict: { version: null, now: {} } }
  }
}

/** Decides a field of a conflict. With the last one, the draft continues from the row as it is now. */
export function resolve(draft: Draft, field: string, choice: 'mine' | 'theirs'): void {
  const { conflict, ...rest } = draft
  if (conflict === undefined) return
  const { [field]: theirs, ...now } = conflict.now
  const kept = choice === 'mine' ? rest : untouched(rest, field)
  const next = { ...kept, before: { ...draft.before, [field]: theirs } }
  const isDecided = Object.keys(now).length === 0
  put(isDecided ? { ...next, version: conflict.version } : { ...next, conflict: { ...conflict, now } })
  if ([...drafts.value.values()].every((one) => one.conflict === undefined)) saveFailure.value = null
}
