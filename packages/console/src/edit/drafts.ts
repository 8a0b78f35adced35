// The changes that are not saved yet: one draft for each row, with the touched fields only. They stay in this tab (sessionStorage), so
// that neither a reload nor an ended session loses them. Nothing is saved by itself. While the console is shown as somebody else, and while
// somebody else is signed in, the drafts of the user stay aside.

import { computed, effect, signal } from '@preact/signals'
import { acting, isPageLeaving, isReadOnly } from '../api/acting.ts'
import type { FieldModel, TypeModel } from '../api/model.ts'
import { labelOf, type Row } from '../api/row.ts'

export interface Draft {
  /** `posts/p1`, `posts/+new`, or `posts/+new.1` of a row that is created along with another one. */
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
  /** The rows that are created along, by reference or list: the keys of their drafts. */
  nested: Readonly<Record<string, readonly string[]>>
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

export type DraftTarget = Pick<Draft, 'path' | 'id' | 'label' | 'version'> & {
  /** The key of a row that is created along with another one. */
  nestedKey?: string
}

/** Those of the user, in the list that former versions stored, too. */
const ownKey = 'twain.drafts'
const ownerKey = 'twain.drafts.owner'
/** Whose they are; null: nobody has signed in yet. */
let owner = sessionStorage.getItem(ownerKey)

/** A session that acts has drafts of its own; one that only reads has none. */
const storageKey =
  acting === null ? ownKey : isReadOnly ? null : `${asideKey(owner ?? '')} as ${JSON.stringify(acting.as)}`

/** Never stored: it would stay in the browser. */
const secretField = 'password'

/** What a draft has that changes nothing. */
const noChanges = { before: {}, changes: {}, nested: {}, unparsed: {}, labels: {}, errors: {} }

export const drafts = signal<ReadonlyMap<string, Draft>>(readDrafts(storageKey))

export const changeCount = computed(() =>
  [...drafts.value.values()].reduce((sum, draft) => sum + touchedFields(draft).length, 0),
)

/** Drafts may be large, so they are stored after a pause, and when the page is left. */
const storePauseMs = 300
let storeTimer: ReturnType<typeof setTimeout> | undefined

effect(() => {
  void drafts.value
  clearTimeout(storeTimer)
  storeTimer = setTimeout(store, storePauseMs)
})

addEventListener('pagehide', store)

function store(): void {
  clearTimeout(storeTimer)
  if (storageKey !== null) keep(storageKey, drafts.value)
}

function keep(key: string, kept: ReadonlyMap<string, Draft>): void {
  const all = [...kept.values()].map((draft) => ({ ...draft, changes: withoutSecret(draft.changes) }))
  keepText(key, all.length === 0 ? null : JSON.stringify(all))
}

function keepText(key: string, text: string | null): void {
  try {
    if (text === null) sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, text)
  } catch {
    // More than the browser keeps: the question before the page is left remains.
  }
}

/** Tells who uses the page. Drafts of somebody else, whose session ended in this tab, wait until they sign in again. */
export function setOwner(next: string): void {
  if (acting !== null || next === owner) return
  const former = drafts.value
  const mine = readDrafts(asideKey(next))
  // First, because large drafts may find no room beside their copy.
  for (const key of [ownKey, asideKey(next)]) keepText(key, null)
  keepText(ownerKey, next)
  if (owner !== null) keep(asideKey(owner), former)
  drafts.value = owner === null ? new Map([...mine, ...former]) : mine
  owner = next
  store()
}

/** Where the drafts of an owner wait, and how the keys of those begin that they left while they acted. */
function asideKey(of: string): string {
  return `${ownKey} of ${encodeURIComponent(of)}`
}

/** Of the user. What somebody else left in this tab is not theirs to see or to discard. */
function userKeys(): string[] {
  const begin = `${asideKey(owner ?? '')} `
  return Object.keys(sessionStorage).filter((key) => key === ownKey || key.startsWith(begin))
}

/** Whether the user has drafts in this tab, also while the console is shown as somebody else. */
export function hasDrafts(): boolean {
  return drafts.value.size > 0 || userKeys().length > 0
}

/** Who signs out leaves nothing behind. */
export function forgetDrafts(): void {
  discardAll()
  for (const key of [...userKeys(), ownerKey]) sessionStorage.removeItem(key)
  owner = null
}

/** A page that is left by another link than the console's own keeps the drafts, but their owner may not expect it. */
addEventListener('beforeunload', (event) => {
  if (drafts.value.size > 0 && !isPageLeaving()) event.preventDefault()
})

function keyOf({ path, id, nestedKey }: Pick<DraftTarget, 'path' | 'id' | 'nestedKey'>): string {
  return nestedKey ?? `${path}/${id ?? '+new'}`
}

export function draftOf(path: string, id: string | null): Draft | undefined {
  return drafts.value.get(keyOf({ path, id }))
}

export function draftAt(target: DraftTarget): Draft | undefined {
  return drafts.value.get(keyOf(target))
}

export function isNested({ key }: Draft): boolean {
  return /\/\+new\.\d+$/.test(key)
}

/** The draft that changes of this row belong to. */
export function targetOf(type: TypeModel, row: Row): DraftTarget {
  const version = typeof row._version === 'number' ? row._version : null
  return { path: type.path, id: row.id, label: labelOf(type, row), version }
}

/** Sets a field. The value from before takes the change away. */
export function setField(target: DraftTarget, field: string, before: unknown, value: unknown, label?: string): void {
  const draft = draftAt(target) ?? newDraft(target)
  const isBack = target.id !== null && isEqual(before, value)
  const rest = untouched(draft, field)
  put({
    ...rest,
    before: { ...draft.before, [field]: before },
    changes: isBack ? rest.changes : { ...rest.changes, [field]: value },
    labels: label === undefined ? draft.labels : { ...draft.labels, [field]: label },
  })
}

/** Keeps a text that is no value of the field yet. */
export function setUnparsed(target: DraftTarget, field: string, text: string): void {
  const draft = draftAt(target) ?? newDraft(target)
  put({ ...draft, unparsed: { ...draft.unparsed, [field]: text } })
}

/** Begins a row that is created along: the one of a reference, or one more of a list. Returns its key. */
export function addNested(target: DraftTarget, field: FieldModel, before: unknown, row: DraftTarget): string {
  const number = [...drafts.value.values()].filter(isNested).map(({ key }) => Number(key.split('.').pop()))
  const nestedKey = `${row.path}/+new.${Math.max(0, ...number) + 1}`
  const draft = draftAt(target) ?? newDraft(target)
  const others = field.kind === 'list' ? (draft.nested[field.name] ?? []) : []
  const owner = {
    ...untouched(draft, field.name),
    before: field.kind === 'list' ? draft.before : { ...draft.before, [field.name]: before },
    nested: { ...draft.nested, [field.name]: [...others, nestedKey] },
  }
  const next = new Map(drafts.value).set(owner.key, owner).set(nestedKey, newDraft({ ...row, nestedKey }))
  drafts.value = consistent(next)
  return nestedKey
}

function newDraft({ nestedKey, ...target }: DraftTarget): Draft {
  const key = keyOf({ ...target, ...(nestedKey !== undefined && { nestedKey }) })
  return { ...noChanges, ...target, key }
}

export function removeChange(draft: Draft, field: string): void {
  put(untouched(draft, field))
}

/** The draft without its change of this field. */
export function untouched(draft: Draft, field: string): Draft {
  const { [field]: _change, ...changes } = draft.changes
  const { [field]: _rows, ...nested } = draft.nested
  const { [field]: _error, ...errors } = draft.errors
  const { [field]: _text, ...unparsed } = draft.unparsed
  const { [field]: _label, ...labels } = draft.labels
  return { ...draft, changes, nested, errors, unparsed, labels }
}

/** Puts a draft in its place; one without changes is no draft. */
export function put(draft: Draft): void {
  drafts.value = consistent(new Map(drafts.value).set(draft.key, draft))
}

/** Without drafts that change nothing, and without rows that were created along with one that is gone. */
function consistent(all: Map<string, Draft>): ReadonlyMap<string, Draft> {
  const owned = new Set([...all.values()].flatMap(({ nested }) => Object.values(nested).flat()))
  const kept = [...all.values()]
    .filter((draft) => (isNested(draft) ? owned.has(draft.key) : touchedFields(draft).length > 0))
    .map((draft) => withoutMissing(draft, all))
  const isSame = kept.length === all.size && kept.every((draft) => all.get(draft.key) === draft)
  return isSame ? all : consistent(new Map(kept.map((draft) => [draft.key, draft])))
}

function withoutMissing(draft: Draft, all: ReadonlyMap<string, Draft>): Draft {
  const entries = Object.entries(draft.nested)
  if (entries.every(([, keys]) => keys.every((key) => all.has(key)))) return draft
  const left = entries.map(([field, keys]) => [field, keys.filter((key) => all.has(key))] as const)
  return { ...draft, nested: Object.fromEntries(left.filter(([, keys]) => keys.length > 0)) }
}

export function touchedFields({ changes, nested, unparsed }: Draft): string[] {
  return [...new Set([...Object.keys(changes), ...Object.keys(nested), ...Object.keys(unparsed)])]
}

export function discard(draft: Draft): void {
  const next = new Map(drafts.value)
  next.delete(draft.key)
  drafts.value = consistent(next)
}

export function discardAll(): void {
  drafts.value = new Map()
}

export function isEqual(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b)
}

/** Whether a draft has what is not stored, so that a page that is loaded anew would lose it. */
export function hasSecretDraft(): boolean {
  return [...drafts.value.values()].some(({ changes }) => Object.hasOwn(changes, secretField))
}

function withoutSecret({ [secretField]: _, ...changes }: Draft['changes']): Draft['changes'] {
  return changes
}

/** Text that is no list of drafts, such as that of another version, is none: the page must load. */
function readDrafts(key: string | null): ReadonlyMap<string, Draft> {
  try {
    const all = JSON.parse((key === null ? null : sessionStorage.getItem(key)) ?? '[]') as readonly Draft[]
    return new Map(all.map((draft) => [draft.key, { ...noChanges, ...draft }]))
  } catch {
    return new Map()
  }
}
