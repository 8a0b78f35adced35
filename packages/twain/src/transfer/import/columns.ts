// What the columns of a file mean: which field each one fills, by its name or by `--map`.

import { didYouMean } from '#base'
import { type Model, type Resource, type UniqueKey, uniqueKeysOf } from '#model'
import { namesOf } from '#model/names'
import { type ColumnMap, type ColumnRules, columnMistake } from '#records'

/** Parses `Full name=name`; `Notes=` leaves a column out. Pushes mistakes. */
export function readColumnMap(texts: readonly string[], mistakes: string[]): ColumnMap {
  const map = new Map<string, string | null>()
  for (const text of texts) {
    const at = text.lastIndexOf('=')
    const from = at < 0 ? '' : text.slice(0, at).trim()
    const to = text.slice(at + 1).trim()
    if (from === '') mistakes.push(`--map "${text}" must be "COLUMN=FIELD", or "COLUMN=" to leave a column out.`)
    else map.set(from, to === '' ? null : to)
  }
  return map
}

export interface ImportTarget {
  of: Resource
  /** Whether the type is the account type: passwords are no columns. */
  isAccount: boolean
  keepIds: boolean
  /** The unique key by which rows that are there are changed instead; null: rows are only created. */
  onConflict: UniqueKey | null
}

export function importTarget(model: Model, type: string, keepIds: boolean): ImportTarget | null {
  const of = model.resources.find(({ name, alias }) => name === type || alias === type)
  return of === undefined ? null : { of, isAccount: model.account?.resource === of, keepIds, onConflict: null }
}

/** The unique key with these fields: `slug`, `author,slug`. A text: there is none, and this is why. */
export function conflictKey(of: Resource, fields: string): UniqueKey | string {
  const names = fields.split(',').map((name) => name.trim())
  const keys = uniqueKeysOf(of)
  const nameIn = (field: UniqueKey['fields'][number]) => namesOf(field).some((name) => names.includes(name))
  const key = keys.find((one) => one.fields.length === names.length && one.fields.every(nameIn))
  if (key !== undefined) return key
  const known = keys.map((one) => one.fields.map(({ name }) => name).join())
  const instead = known.length === 0 ? `${of.name} has none.` : `there is ${known.join(' and ')}.`
  return `--on-conflict: "${fields}" is not a unique key; ${instead}${didYouMean(fields, known)}`
}

export function importColumns(target: ImportTarget, map: ColumnMap): ColumnRules {
  return { of: target.of, map, mistake: (name) => importMistake(name, target) }
}

function importMistake(name: string, { of, isAccount, keepIds }: ImportTarget): ReturnType<ColumnRules['mistake']> {
  if (isAccount && name === 'password' && !of.fields.has(name)) {
    const message =
      'Passwords are not imported. Leave the column out (--map "password="): the accounts get theirs later.'
    return { code: 'READONLY', message }
  }
  if (name !== 'id' || keepIds) return columnMistake(name, of)
  const message =
    'The rows would get new ids. Say --keep-ids to keep those of the file, or --map "id=" to leave the column out.'
  return { code: 'READONLY', message }
}
