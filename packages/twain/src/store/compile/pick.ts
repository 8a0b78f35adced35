// What is picked of a row, as one JSON text made by SQLite, whatever the nesting: it goes to the socket unparsed.
//
// 1. JSON made by json_object and json_group_array keeps its subtype through scalar sub-selects and CASE, but not through an
//    ordered sub-select: so rows are selected as columns, and JSON is made of them outside.
// 2. Columns that are JSON themselves (values, lists) are text in the table: json() gives them their subtype.

import { unreachable } from '#base'
import type { InverseField, ReferenceField, StoredType } from '#model'
import type { Case, Pick, ValuePick } from '#plan'
import { compileMany } from './many.ts'
import { Row } from './row.ts'
import { type Statement, text } from './statement.ts'
import { from, pointsAt } from './where.ts'

export function compileObject(picks: readonly Pick[], row: Row, statement: Statement): string {
  return jsonObject(picks.map((pick) => [pick.key, compilePick(pick, row, statement)]))
}

export function jsonObject(members: readonly (readonly [key: string, value: string])[]): string {
  const [first, ...others] = chunks(members)
  let object = `json_object(${(first ?? []).map(([key, value]) => `${text(key)}, ${value}`).join(', ')})`
  for (const more of others) {
    object = `json_set(${object}, ${more.map(([key, value]) => `${text(`$."${key}"`)}, ${value}`).join(', ')})`
  }
  return object
}

/** A function of SQLite takes at most 1,000 arguments. */
const mostMembers = 499

function chunks<Item>(items: readonly Item[]): Item[][] {
  return Array.from({ length: Math.ceil(items.length / mostMembers) }, (_, index) =>
    items.slice(index * mostMembers, (index + 1) * mostMembers),
  )
}

function compilePick(pick: Pick, row: Row, statement: Statement): string {
  switch (pick.kind) {
    case 'constant':
      return text(pick.value)
    case 'version':
      return row.version
    case 'field':
      return row.json(pick.field)
    case 'value':
      return compileValue(pick.field.type, row.stored(pick.field), pick.pick, statement)
    case 'id':
      return compileId(pick.field, row, statement)
    case 'one':
      return compileOne(pick.field, pick.cases, row, statement)
    case 'many':
      return compileMany(pick.read, { field: pick.field, id: row.id }, row, statement)
    default:
      return unreachable(pick)
  }
}

function compileId(field: ReferenceField | InverseField, row: Row, statement: Statement): string {
  if (field.kind === 'reference') return row.reference(field).id
  const other = new Row(statement.alias(), field.to, row.layout)
  return `(SELECT ${other.id} FROM ${from(other)} WHERE ${pointsAt(other, field.via, row)})`
}

function compileOne(
  field: ReferenceField | InverseField,
  cases: readonly Case[],
  row: Row,
  statement: Statement,
): string {
  if (field.kind === 'inverse') {
    const { pick } = cases[0]!
    const other = new Row(statement.alias(), field.to, row.layout)
    const object = compileObject(pick, other, statement)
    return `(SELECT ${object} FROM ${from(other)} WHERE ${pointsAt(other, field.via, row)})`
  }
  const { id, type } = row.reference(field)
  return compileCases(cases, id, type, row, statement)
}

/** The object of the row with this id; of several types, `type` is the SQL that says which. */
export function compileCases(
  cases: readonly Case[],
  id: string,
  type: string | null,
  near: Row,
  statement: Statement,
): string {
  const selects = cases.map(({ of, pick }) => {
    const other = new Row(statement.alias(), of, near.layout)
    const object = compileObject(pick, other, statement)
    return [other.typeName, `(SELECT ${object} FROM ${from(other)} WHERE ${other.id} = ${id})`] as const
  })
  if (type === null) return selects[0]![1]
  return `CASE ${type} ${selects.map(([typeName, select]) => `WHEN ${typeName} THEN ${select}`).join(' ')} END`
}

/** A value type out of its JSON text, or a list of them: just what is picked, under the keys of the request. */
function compileValue(type: StoredType, value: string, picks: readonly ValuePick[], statement: Statement): string {
  if (type.kind === 'list') {
    const each = statement.alias()
    const item = compileValue(type.of, `${each}.value`, picks, statement)
    return `CASE WHEN ${value} IS NOT NULL THEN (SELECT json_group_array(${item}) FROM json_each(${value}) AS ${each}) END`
  }
  const members = picks.map((pick): [string, string] => {
    if (pick.kind === 'constant') return [pick.key, text(pick.value)]
    const path = text(`$.${pick.field.name}`)
    if (pick.pick === null) return [pick.key, `${value} -> ${path}`]
    // `->>` gives SQL's NULL for JSON's null, which `->` does not.
    return [pick.key, compileValue(pick.field.type, `(${value} ->> ${path})`, pick.pick, statement)]
  })
  return `CASE WHEN ${value} IS NOT NULL THEN ${jsonObject(members)} END`
}
