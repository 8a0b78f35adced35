// What stops a start: a contract that the data of the folder can't follow. The list says for each difference what would be
// right. Where nothing is lost (`twain dev` asks for it), a difference may pass: the rows have nothing in what it changes.
//
// What passed is forgotten, not dropped: the column stays, and its name with it, so that a field which comes back under the
// same name, perhaps with another type, gets a column of its own.

import type { DatabaseSync } from 'node:sqlite'
import { compareModels, type Difference, loadModel, type Model, SchemaMistakes } from '#model'
import { name } from '../compile/statement.ts'
import type { LayoutNames } from '../layout.ts'
import { StartRefused } from '../start-refused.ts'

interface Former {
  sdl: string
  names: LayoutNames
}

/** Forgets in `former.names` what may go; throws StartRefused when something may not. */
export function refuseBreaking(
  database: DatabaseSync,
  former: Former,
  model: Model,
  { data, forgetting }: { data: string; forgetting: boolean },
): void {
  const before = loadFormer(former.sdl, data)
  const breaking = compareModels(before, model).filter(({ kind }) => kind === 'breaking')
  const lossless = forgetting ? breaking.filter((one) => losesNothing(database, one, before, model, former.names)) : []
  if (lossless.length < breaking.length) {
    throw new StartRefused(
      sentences(
        breaking.filter((one) => !lossless.includes(one)),
        before,
        model,
        data,
      ),
    )
  }
  for (const { path } of lossless) forget(path, model, former.names)
}

function loadFormer(sdl: string, data: string): Model {
  try {
    return loadModel(sdl, '')
  } catch (error) {
    if (!(error instanceof SchemaMistakes)) throw error
    const [first] = error.mistakes
    throw new StartRefused(
      `The data in ${data} was made with a schema that this Twain no longer takes: ${first?.message}\nNothing was changed. To go on, ${wayOut(data)}`,
    )
  }
}

function sentences(breaking: readonly Difference[], before: Model, model: Model, data: string): string {
  const types = before.resources.map((resource) => resource.name).join(', ')
  const made = `The data in ${data} was made with ${before.service.name || 'a schema'} (${types})`
  if (!before.resources.some((resource) => model.types.has(resource.name))) {
    return `${made}, and this schema has none of these types.\nNothing was changed. To go on, ${wayOut(data)}`
  }
  const list = breaking.map(({ message, cure }) => `  - ${message}. ${cure}\n`).join('')
  return (
    `${made}, and this schema changes it in ways that Twain can't make by itself yet:\n${list}` +
    `Nothing was changed. Mend these in the schema file; or ${wayOut(data)}`
  )
}

function wayOut(data: string): string {
  return `start afresh in another folder (--data) or, if the rows may go, delete this one: rm -r ${data}`
}

/** A resource without rows loses none, and a field that no row has is not missed; other types hold nothing by themselves:
 *  a field of theirs is a difference of its own. */
function losesNothing(
  database: DatabaseSync,
  { path }: Difference,
  before: Model,
  model: Model,
  names: LayoutNames,
): boolean {
  const [typeName = '', fieldName = ''] = path.split('.')
  const type = before.types.get(typeName)
  if (type?.kind === 'abstract') return true // its rows are those of its members
  if (type?.kind !== 'resource') return !model.types.has(typeName)
  const table = names.tables[typeName]!
  if (isEmpty(database, `SELECT 1 FROM ${name(table.name)}`)) return true
  const field = type.fields.get(fieldName)
  const now = model.types.get(typeName)
  if (field === undefined || now?.kind !== 'resource' || now.fields.has(fieldName)) return false
  if (field.kind === 'links') {
    const link = names.links[`${field.link.left.owner.name}.${field.link.left.name}`]!
    return isEmpty(database, `SELECT 1 FROM ${name(link.name)}`)
  }
  const column = table.columns[fieldName]
  if (column === undefined) return true // the other side of a reference
  return isEmpty(database, `SELECT 1 FROM ${name(table.name)} WHERE ${name(column.name)} IS NOT NULL`)
}

function isEmpty(database: DatabaseSync, select: string): boolean {
  return database.prepare(`${select} LIMIT 1`).get() === undefined
}

/** No field and no type is called `-…`, so what stands there is only a name that was given. */
function forget(path: string, model: Model, names: LayoutNames): void {
  const [typeName = '', fieldName] = path.split('.')
  const table = names.tables[typeName]
  if (table === undefined) return
  const isGone = fieldName === undefined && model.types.get(typeName)?.kind !== 'resource'
  if (isGone) move(names.tables, typeName, `-${table.name}`)
  const column = table.columns[fieldName ?? '']
  if (fieldName !== undefined && column !== undefined) move(table.columns, fieldName, `-${column.name}`)
  for (const [key, link] of Object.entries(names.links)) {
    if (key === path || (isGone && key.startsWith(`${path}.`))) move(names.links, key, `-${link.name}`)
  }
}

function move<Value>(record: Record<string, Value>, from: string, to: string): void {
  record[to] = record[from]!
  delete record[from]
}
