// What the columns of a file mean: which field each one fills, by its name or by `--map`.

import { didYouMean } from '#base'
import { type Field, type Model, type Resource, type StoredType, type UniqueKey, uniqueKeysOf } from '#model'
import { namesOf } from '#model/names'

/** By the name in the file: the field that it fills, or null to leave the column out. */
export type ColumnMap = ReadonlyMap<string, string | null>

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

/** Why a column can't be imported; null: it can. */
export function columnMistake(name: string, { of, isAccount, keepIds }: ImportTarget): string | null {
  const [first, ...inside] = name.split('.') as [string, ...string[]]
  const field = of.fields.get(first)
  if (isAccount && field === undefined && first === 'password') {
    return 'Passwords are not imported. Leave the column out (--map "password="): the accounts get theirs later.'
  }
  if (field === undefined) return `"${first}" is not a field of ${of.name}.${didYouMean(first, importedNames(of))}`
  if (first === 'id' && !keepIds) {
    return 'The rows would get new ids. Say --keep-ids to keep those of the file, or --map "id=" to leave the column out.'
  }
  if (!isImported(field)) return `"${first}" is the other side of a reference: import the rows that refer to this one.`
  return inside.length === 0 || hasMember(field, inside) ? null : `"${name}" is not a field of ${of.name}.`
}

function importedNames({ fields }: Resource): string[] {
  return [...fields.values()].filter(isImported).map(({ name }) => name)
}

/** The fields that a row itself stores, and the lists of links that it holds. */
function isImported(field: Field): boolean {
  return field.kind === 'stored' || field.kind === 'reference' || field.kind === 'links'
}

function hasMember(field: Field, path: readonly string[]): boolean {
  let type: StoredType | undefined = field.kind === 'stored' ? field.type : undefined
  for (const name of path) {
    if (type?.kind !== 'value') return false
    type = type.value.fields.get(name)?.type
    if (type === undefined) return false
  }
  return true
}
