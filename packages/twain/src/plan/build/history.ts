// The history of a row: a page of its entries in the change log, the newest first. Cursors hold the version of an entry.

import { validationError } from '#base'
import { type Field, isFile, type Resource } from '#model'
import { firstName } from '#model/names'
import type { ChangedField, HistoryRead, HistorySelection, Reversion } from '../plan.ts'
import type { Visibility } from '../visibility.ts'
import { readCursor } from './cursor.ts'
import { allValueFields, valueTypeIn } from './default-selection.ts'
import type { PlanBuilder } from './plan-builder.ts'
import { currentValue, deriveValue } from './request-value.ts'

/** The types whose changes are logged, row by row: not views, files and types of the server itself. */
export function hasHistory(of: Resource): boolean {
  return of.system === undefined && of.view === undefined && !isFile(of)
}

/** What cursors of a history belong to. */
export function historyName(of: Resource): string {
  return `${firstName(of)}(_changes)`
}

/** Above every version: the page begins with the newest entry. */
export const newestVersion = 2147483647

/** `after` is a RequestValue or a constant; null or undefined starts with the newest entry. */
export function planHistory(
  of: Resource,
  page: { first: unknown; after: unknown },
  selections: HistorySelection[],
  builder: PlanBuilder,
  places: { first: string; after: string },
): HistoryRead {
  const name = historyName(of)
  const first = builder.parameter({ kind: 'size' }, page.first, places.first)
  const isWrong = versionBelow(currentValue(page.after), name) === null
  if (isWrong) builder.problem(places.after, 'TYPE', wrongCursorMessage)
  const leaf = isWrong ? newestVersion : deriveValue(page.after, (cursor) => expectVersion(cursor, name, places.after))
  const below = builder.parameter({ kind: 'version' }, leaf, places.after)
  return { of, first, below, fields: changedFields(of, builder.visibility), selections }
}

/** The version in a cursor; null if it is no cursor of this history. */
function versionBelow(cursor: unknown, name: string): number | null {
  if (cursor === null || cursor === undefined) return newestVersion
  const keys = typeof cursor === 'string' ? readCursor(name, cursor) : null
  const version = keys?.length === 1 ? keys[0] : null
  return typeof version === 'number' && Number.isInteger(version) && version >= 0 && version < newestVersion
    ? version
    : null
}

/** The cursor of a later request is read when its values are bound: the builder is gone by then. */
function expectVersion(cursor: unknown, name: string, path: string): number {
  const version = versionBelow(cursor, name)
  if (version === null) throw validationError([{ path, code: 'TYPE', message: wrongCursorMessage }])
  return version
}

const wrongCursorMessage = 'is not a cursor of this history; pass "endCursor" unchanged.'

/** The fields that the change log has, except for those that the viewer can never read. */
export function changedFields(of: Resource, visibility: Visibility): ChangedField[] {
  return [...of.fields.values()].flatMap((field) => (visibility.isHidden(field) ? [] : (changedField(field) ?? [])))
}

function changedField(field: Field): ChangedField | null {
  const { name } = field
  if (field.kind === 'links') return { kind: 'links', name, field }
  if (field.kind === 'reference') return { kind: 'field', name, selection: { kind: 'id', key: name, field } }
  if (field.kind !== 'stored' || name === 'id' || field.isShownOnce === true) return null
  const value = valueTypeIn(field.type)
  if (value === null) return { kind: 'field', name, selection: { kind: 'field', key: name, field } }
  return { kind: 'field', name, selection: { kind: 'value', key: name, field, selections: allValueFields(value) } }
}

/** A reversion to the version that a request names. */
export function planReversion(of: Resource, version: unknown, builder: PlanBuilder): Reversion {
  return { version: builder.parameter({ kind: 'version' }, version, 'version'), fields: revertibleFields(of) }
}

const revertible = new WeakMap<Resource, ChangedField[]>()

/** The logged fields that an update can change. Whether the viewer may read them is decided for each version of the row. */
function revertibleFields(of: Resource): ChangedField[] {
  const known = revertible.get(of)
  if (known !== undefined) return known
  const fields = [...of.fields.values()].flatMap((field) => (isFixed(field) ? [] : (changedField(field) ?? [])))
  revertible.set(of, fields)
  return fields
}

function isFixed(field: Field): boolean {
  return (field.kind === 'stored' || field.kind === 'reference') && (field.auto !== null || field.immutable)
}
