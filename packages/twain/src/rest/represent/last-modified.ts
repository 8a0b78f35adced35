// `Last-Modified` of a row with an update time (docs/reference/rest.md, R63). Only for representations that change with the row
// alone: stored fields of the row, all of which the viewer may always read.

import { unreachable } from '#base'
import { isAnyJson, type StoredField } from '#model'
import type { RowRead, Selection } from '#plan'
import type { Visibility } from '#plan/build'

/** Where the text of the row contains the time. */
interface TimeLocation {
  key: string
  /** No object or JSON precedes it: a text search finds it, without parsing the row. */
  isPlain: boolean
}

const timeLocations = new WeakMap<RowRead, TimeLocation | null>()

/** Milliseconds since 1970; null if not known. Also null within the second of the change: a second change in it would have the
 *  same HTTP date. */
export function lastModified(plan: RowRead, text: string, visibility: Visibility, clock: () => number): number | null {
  let at = timeLocations.get(plan)
  if (at === undefined) {
    at = locateTime(plan, visibility)
    timeLocations.set(plan, at)
  }
  if (at === null) return null
  const time = Date.parse(at.isPlain ? plainTime(text, at.key) : String(JSON.parse(text)[at.key]))
  return Number.isNaN(time) || clock() - (time - (time % 1000)) < 1000 ? null : time
}

function plainTime(text: string, key: string): string {
  const start = text.indexOf(`"${key}":"`) + key.length + 4
  return text.slice(start, text.indexOf('"', start))
}

function locateTime({ selections }: RowRead, visibility: Visibility): TimeLocation | null {
  const index = selections.findIndex((one) => one.kind === 'field' && one.field.auto === 'UPDATE_TIME')
  const time = selections[index]
  if (time === undefined || !selections.every((one) => isOwn(one, visibility))) return null
  return { key: time.key, isPlain: selections.slice(0, index).every(isPlain) }
}

function isOwn(selection: Selection, visibility: Visibility): boolean {
  switch (selection.kind) {
    case 'constant':
    case 'version':
    case 'globalId':
      return true
    case 'field':
    case 'value':
    case 'id':
      return selection.field.kind !== 'inverse' && !visibility.maybeHidden(selection.field)
    case 'url':
    case 'transitions':
    case 'one':
    case 'many':
    case 'groups':
    case 'changes':
    case 'computed':
      return false
    default:
      return unreachable(selection)
  }
}

function isPlain(selection: Selection): boolean {
  return selection.kind === 'field' ? isScalar(selection.field) : selection.kind !== 'value'
}

function isScalar({ type }: StoredField): boolean {
  return type.kind === 'enum' || (type.kind === 'scalar' && !isAnyJson(type))
}
