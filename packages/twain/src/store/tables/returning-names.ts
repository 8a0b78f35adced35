// Fields and types that come back: a schema file lacked them for a while, and has them again in the same form. They get
// their column or table back, with its values, whatever else has changed in the file.

import { unreachable } from '#base'
import { type Field, loadModel, type Model, SchemaMistakes, type StoredField, type StoredType } from '#model'
import type { StorageNames } from './storage-names.ts'

/** A schema that was served, with its storage names. */
interface ServedNames {
  sdl: string
  names: StorageNames
}

/** Bounds the schemas that are read again: `twain dev` serves one for each save. */
const maxReadSchemas = 100

/** The names that parts of the model had in earlier schemas (the newest first) and that were retired since. */
export function returningNames(model: Model, served: Iterable<ServedNames>, present: StorageNames): StorageNames {
  const found: StorageNames = { tables: {}, links: {} }
  let schemasRead = 0
  for (const { sdl, names } of served) {
    const candidates = [...candidatesIn(model, names, present)].filter((one) => !isFound(one, found))
    if (candidates.length === 0) continue
    if (++schemasRead > maxReadSchemas) break
    const earlier = tryLoadModel(sdl)
    for (const { type, field } of candidates) {
      const before = fieldOf(earlier, type, field)
      const now = fieldOf(model, type, field)
      if (before !== null && now !== null && hasSameForm(before, now)) take(type, field, names, found)
    }
  }
  return found
}

/** Whether something was retired: without that nothing can come back, and no earlier schema need be read. */
export function hasRetiredNames({ tables, links }: StorageNames): boolean {
  const isRetired = (key: string) => key.startsWith('-')
  if (Object.keys(tables).some(isRetired) || Object.keys(links).some(isRetired)) return true
  return Object.values(tables).some(({ columns }) => Object.keys(columns).some(isRetired))
}

interface Candidate {
  type: string
  field: string
}

/** Fields of the model that had a column or links in an earlier schema which are retired now, alone or with their type. */
function* candidatesIn(model: Model, earlier: StorageNames, present: StorageNames): Generator<Candidate> {
  for (const { name: type, fields } of model.resources) {
    const table = earlier.tables[type]
    const isRetired = table !== undefined && Object.hasOwn(present.tables, `-${table.name}`)
    const columns = present.tables[type]?.columns ?? {}
    for (const field of fields.keys()) {
      const column = table?.columns[field]
      const link = earlier.links[`${type}.${field}`]
      const isBack = column !== undefined && (isRetired || Object.hasOwn(columns, `-${column.name}`))
      if (isBack || (link !== undefined && Object.hasOwn(present.links, `-${link.name}`))) yield { type, field }
    }
  }
}

function isFound({ type, field }: Candidate, found: StorageNames): boolean {
  return found.tables[type]?.columns[field] !== undefined || found.links[`${type}.${field}`] !== undefined
}

function take(type: string, field: string, { tables, links }: StorageNames, found: StorageNames): void {
  const table = tables[type]!
  const link = links[`${type}.${field}`]
  if (link !== undefined) found.links[`${type}.${field}`] = link
  const column = table.columns[field]
  const known = found.tables[type]
  // A type that was removed twice has two tables: all its fields come from one of them.
  if (known !== undefined && known.name !== table.name) return
  found.tables[type] = { ...table, columns: { ...known?.columns, ...(column && { [field]: column }) } }
}

function tryLoadModel(sdl: string): Model | null {
  try {
    return loadModel(sdl, '')
  } catch (error) {
    if (!(error instanceof SchemaMistakes)) throw error
    return null // this Twain no longer takes it
  }
}

function fieldOf(model: Model | null, type: string, field: string): Field | null {
  const resource = model?.types.get(type)
  return (resource?.kind === 'resource' && resource.fields.get(field)) || null
}

/** Whether values of the one can be values of the other. */
function hasSameForm(before: Field, now: Field): boolean {
  if (before.kind === 'stored' && now.kind === 'stored')
    return formOf(before.type) === formOf(now.type) && hasSameDefault(before, now)
  if (before.kind !== now.kind || !('to' in before) || !('to' in now)) return false
  return before.to.name === now.to.name && before.to.kind === now.to.kind
}

/** Rows that were created meanwhile have the default of the column, which is that of the earlier field. */
function hasSameDefault(before: StoredField, now: StoredField): boolean {
  return now.default === undefined || JSON.stringify(before.default) === JSON.stringify(now.default)
}

function formOf(type: StoredType): string {
  switch (type.kind) {
    case 'list':
      return `[${formOf(type.of)}]`
    case 'enum':
      return `enum ${type.enum.name}`
    case 'value':
      return `value ${type.value.name}`
    case 'custom':
      return `scalar ${type.scalar.name}`
    case 'scalar':
      return type.name
    default:
      return unreachable(type)
  }
}
