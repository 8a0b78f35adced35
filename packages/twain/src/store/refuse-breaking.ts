// What stops a start: a contract that the data of the folder can't follow. The list says for each difference what would be
// right. Where nothing is lost (`twain dev` asks for it), a difference may pass: the rows have nothing in what it changes.
//
// What passed is forgotten, not dropped: the column stays, and its name with it, so that a field which comes back under the
// same name, perhaps with another type, gets a column of its own.

import { compareModels, type Difference, loadModel, type Model, SchemaMistakes } from '#model'
import { name } from './compile/statement.ts'
import type { LayoutNames } from './layout.ts'
import { StartRefused } from './start-refused.ts'

/** The contract that was last served. */
export interface Former {
  sdl: string
  names: LayoutNames
}

/** Where the data is, for the sentences. */
export interface Place {
  /** Follows "The data in". */
  name: string
  /** What to do when the schema is meant: follows "or". */
  wayOut: string
}

/** Forgets in `former.names` what may go; throws StartRefused when something may not. Each SELECT that it gives out must
 *  be answered with whether it found a row. */
export function* refuseBreaking(
  former: Former,
  model: Model,
  place: Place,
  forgetting: boolean,
): Generator<string, void, boolean> {
  const before = loadFormer(former.sdl, place)
  const breaking = compareModels(before, model).filter(({ kind }) => kind === 'breaking')
  const lossless: Difference[] = []
  for (const one of forgetting ? breaking : []) {
    if (one.keepsAll || (yield* losesNothing(one, before, model, former.names))) lossless.push(one)
  }
  if (lossless.length < breaking.length) {
    throw new StartRefused(
      sentences(
        breaking.filter((one) => !lossless.includes(one)),
        before,
        model,
        place,
      ),
    )
  }
  for (const { path, keepsAll } of lossless) if (!keepsAll) forget(path, model, former.names)
}

function loadFormer(sdl: string, place: Place): Model {
  try {
    return loadModel(sdl, '')
  } catch (error) {
    if (!(error instanceof SchemaMistakes)) throw error
    const [first] = error.mistakes
    throw new StartRefused(
      `The data in ${place.name} was made with a schema that this Twain no longer takes: ${first?.message}\nNothing was changed. To go on, ${place.wayOut}`,
    )
  }
}

function sentences(breaking: readonly Difference[], before: Model, model: Model, place: Place): string {
  const types = before.resources.map((resource) => resource.name).join(', ')
  const made = `The data in ${place.name} was made with ${before.service.name || 'a schema'} (${types})`
  if (!before.resources.some((resource) => model.types.has(resource.name))) {
    return `${made}, and this schema has none of these types.\nNothing was changed. To go on, ${place.wayOut}`
  }
  const list = breaking.map(({ message, cure }) => `  - ${message}. ${cure}\n`).join('')
  return (
    `${made}, and this schema changes it in ways that Twain can't make by itself yet:\n${list}` +
    `Nothing was changed. Mend these in the schema file; or ${place.wayOut}`
  )
}

/** A resource without rows loses none, and a field that no row has is not missed; other types hold nothing by themselves:
 *  a field of theirs is a difference of its own. */
function* losesNothing(
  { path }: Difference,
  before: Model,
  model: Model,
  names: LayoutNames,
): Generator<string, boolean, boolean> {
  const [typeName = '', fieldName = ''] = path.split('.')
  const type = before.types.get(typeName)
  if (type?.kind === 'abstract') return true // its rows are those of its members
  if (type?.kind !== 'resource') return !model.types.has(typeName)
  const table = names.tables[typeName]!
  if (yield* isEmpty(name(table.name))) return true
  const field = type.fields.get(fieldName)
  const now = model.types.get(typeName)
  if (field === undefined || now?.kind !== 'resource' || now.fields.has(fieldName)) return false
  if (field.kind === 'links') {
    const link = names.links[`${field.link.left.owner.name}.${field.link.left.name}`]!
    return yield* isEmpty(name(link.name))
  }
  const column = table.columns[fieldName]
  if (column === undefined) return true // the other side of a reference
  return yield* isEmpty(`${name(table.name)} WHERE ${name(column.name)} IS NOT NULL`)
}

function* isEmpty(source: string): Generator<string, boolean, boolean> {
  return !(yield `SELECT 1 FROM ${source} LIMIT 1`)
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
