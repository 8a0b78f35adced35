// The changes that are not saved yet: one draft for each row, with the touched fields only. They stay in this tab (sessionStorage), so
// that neither a reload nor an ended session loses them. Nothing is saved by itself.

import { computed, effect, signal } from '@preact/signals'
import type { TypeModel } from '../api/model.ts'
import { labelOf, type Row } from '../api/row.ts'

export interface Draft {
  /** `posts/p1`, or `posts/+new`. */
  key: string
  /** The collection. */
  path: string
  /** Null: a new row. */
  id: string | null
  /** What the row is called. */
  label: string
  /** The version that the changes began with; null for a new row, and for a type without versions. */
  version: number | null
  /** The values before, and those to write, by field. A reference is an id. */
  before: Readonly<Record<string, unknown>>
  changes: Readonly<Record<string, unknown>>
  /** What was typed and is no value yet, by field. */
  unparsed: Readonly<Record<string, string>>
  /** The labels of references that were picked, by field. */
  labels: Readonly<Record<string, string>>
  /** What the server said about the fields. */
  errors: Readonly<Record<string, string>>
  /** Set after a conflict. */
  conflict?: Conflict
}

interface Conflict {
  /** Null: the row is gone. */
  version: number | null
  /** The values that are there now, of the fields that both changed. */
  now: Readonly<Record<string, unknown>>
}

export type DraftTarget = Pick<Draft, 'path' | 'id' | 'label' | 'version'>

const storageKey = 'twain.drafts'

/** Never stored: it would stay in the browser. */
const secretField = 'password'

export const drafts = signal<ReadonlyMap<string, Draft>>(readStored())

export const changeCount = computed(() =>
  [...drafts.value.values()].reduce((sum, draft) => sum + touchedFields(draft).length, 0),
)

effect(() => {
  const all = [...drafts.value.values()].map((draft) => ({ ...draft, changes: withoutSecret(draft.changes) }))
  if (all.length === 0) sessionStorage.removeItem(storageKey)
  else sessionStorage.setItem(storageKey, JSON.stringify(all))
})

/** A page that is left by another link than the console's own keeps the drafts, but their owner may not expect it. */
addEventListener('beforeunload', (event) => {
  if (drafts.value.size > 0) event.preventDefault()
})

function keyOf(path: string, id: string | null): string {
  return `${path}/${id ?? '+new'}`
}

export function draftOf(path: string, id: string | null): Draft | undefined {
  return drafts.value.get(keyOf(path, id))
}

/** The draft that changes of this row belong to. */
export function targetOf(type: TypeModel, row: Row): DraftTarget {
  const version = typeof row._version === 'number' ? row._version : null
  return { path: type.path, id: row.id, label: labelOf(type, row), version }
}

/** Sets a field. The value from before takes the change away. */
export function setField(target: DraftTarget, field: string, before: unknown, value: unknown, label?: string): void {
  const key = keyOf(target.path, target.id)
  const draft = drafts.value.get(key) ?? newDraft(target)
  const isBack = target.id !== null && isEqual(before, value)
  const { [field]: _change, ...otherChanges } = draft.changes
  const { [field]: _error, ...errors } = draft.errors
  const { [field]: _text, ...unparsed } = draft.unparsed
  put({
    ...draft,
    before: { ...draft.before, [field]: before },
    changes: isBack ? otherChanges : { ...draft.changes, [field]: value },
    labels: label === undefined ? draft.labels : { ...draft.labels, [field]: label },
    errors,
    unparsed,
  })
}

/** Keeps a text that is no value of the field yet. */
export function setUnparsed(target: DraftTarget, field: string, text: string): void {
  const draft = drafts.value.get(keyOf(target.path, target.id)) ?? newDraft(target)
  put({ ...draft, unparsed: { ...draft.unparsed, [field]: text } })
}

function newDraft(target: DraftTarget): Draft {
  const key = keyOf(target.path, target.id)
  return { ...target, key, before: {}, changes: {}, unparsed: {}, labels: {}, errors: {} }
}

export function removeChange(draft: Draft, field: string): void {
  const { [field]: _change, ...changes } = draft.changes
  const { [field]: _error, ...errors } = draft.errors
  const { [field]: _text, ...unparsed } = draft.unparsed
  put({ ...draft, changes, errors, unparsed })
}

/** Puts a draft in its place; one without changes is no draft. */
export function put(draft: Draft): void {
  const next = new Map(drafts.value)
  if (touchedFields(draft).length === 0) next.delete(draft.key)
  else next.set(draft.key, draft)
  drafts.value = next
}

export function touchedFields({ changes, unparsed }: Draft): string[] {
  return [...new Set([...Object.keys(changes), ...Object.keys(unparsed)])]
}

export function discard(draft: Draft): void {
  const next = new Map(drafts.value)
  next.delete(draft.key)
  drafts.value = next
}

export function discardAll(): void {
  drafts.value = new Map()
}

export function isEqual(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b)
}

function withoutSecret({ [secretField]: _, ...changes }: Draft['changes']): Draft['changes'] {
  return changes
}

function readStored(): ReadonlyMap<string, Draft> {
  const text = sessionStorage.getItem(storageKey)
  const stored = text === null ? [] : (JSON.parse(text) as Draft[])
  return new Map(stored.map((draft) => [draft.key, draft]))
}
