// What is picked of a row, as one JSON text made by SQLite, whatever the nesting: it goes to the socket unparsed.
//
// 1. JSON made by json_object and json_group_array keeps its subtype through scalar sub-selects and CASE, but not through an
//    ordered sub-select: so rows are selected as columns, and JSON is made of them outside.
// 2. Columns that are JSON themselves (values, lists) are text in the table: json() gives them their subtype.

import { unreachable } from '#base'
import type { InverseField, ReferenceField, Resource, StoredType } from '#model'
import { type Case, type Guard, type Pick, refusalMarker, signatureMarker, type ValuePick } from '#plan'
import { compileMany } from './many.ts'
import { Row } from './row.ts'
import { and, type Statement, text } from './statement.ts'
import { compileGuard, from, isConstant, pointsAt } from './where.ts'

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

const refused = text(refusalMarker)

/** What the pick gives, or a marker where its guard does not let the row's value be told. */
function compilePick(pick: Pick, row: Row, statement: Statement): string {
  const guard = 'guard' in pick ? pick.guard : undefined
  if (guard !== undefined && isConstant(guard, false)) return refused
  const value = compilePicked(pick, row, statement)
  const condition = compileGuard(guard, row, statement)
  return condition === null ? value : `CASE WHEN ${condition} THEN ${value} ELSE ${refused} END`
}

function compilePicked(pick: Pick, row: Row, statement: Statement): string {
  switch (pick.kind) {
    case 'constant':
      return text(pick.value)
    case 'version':
      return row.version
    case 'url':
      return `${text('/files/')} || ${row.id}${pick.signed === true ? ` || ${text(signatureMarker)}` : ''}`
    case 'field':
      return row.json(pick.field)
    case 'value':
      return compileValue(pick.field.type, row.stored(pick.field), pick.pick, statement)
    case 'id':
      return compileId(pick.field, pick.targets, row, statement)
    case 'one':
      return compileOne(pick.field, pick.cases, row, statement)
    case 'many':
      return compileMany(pick.read, { field: pick.field, id: row.id }, row, statement)
    default:
      return unreachable(pick)
  }
}

/** The id of the referred row, which is told of such rows alone as pass the guard of their type's target. */
function compileId(
  field: ReferenceField | InverseField,
  targets: readonly Case[] | undefined,
  row: Row,
  statement: Statement,
): string {
  if (field.kind === 'inverse') {
    return selectRow(field.to, targets?.[0]?.guard, row, statement, (other) => [
      other.id,
      pointsAt(other, field.via, row),
    ])
  }
  const { id, type } = row.reference(field)
  if (targets === undefined || targets.every(({ guard }) => guard === undefined || isConstant(guard, true))) return id
  const ids = targets.map(({ of, guard }) => {
    const isOpen = guard === undefined || isConstant(guard, true)
    const told = isOpen ? id : selectRow(of, guard, row, statement, (other) => [other.id, `${other.id} = ${id}`])
    return [of, told] as const
  })
  return byType(ids, type)
}

/** A scalar sub-select of one row: NULL where there is none, or where it does not pass the guard. */
function selectRow(
  of: Resource,
  guard: Guard | undefined,
  near: Row,
  statement: Statement,
  make: (row: Row) => [value: string, join: string],
): string {
  if (guard !== undefined && isConstant(guard, false)) return 'NULL'
  const row = new Row(statement.alias(), of, near.layout)
  const [value, join] = make(row)
  return `(SELECT ${value} FROM ${from(row)} WHERE ${and([join, compileGuard(guard, row, statement)])})`
}

/** One SQL for each type that the row may be of; `type` is the SQL that says which it is, null where it is always the one. */
function byType(values: readonly (readonly [of: Resource, value: string])[], type: string | null): string {
  if (type === null) return values[0]![1]
  return `CASE ${type} ${values.map(([of, value]) => `WHEN ${text(of.name)} THEN ${value}`).join(' ')} END`
}

function compileOne(
  field: ReferenceField | InverseField,
  cases: readonly Case[],
  row: Row,
  statement: Statement,
): string {
  if (field.kind === 'inverse') {
    const { guard, pick } = cases[0]!
    return selectRow(field.to, guard, row, statement, (other) => [
      compileObject(pick, other, statement),
      pointsAt(other, field.via, row),
    ])
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
  const objects = cases.map(({ of, guard, pick }) => {
    const object = selectRow(of, guard, near, statement, (other) => [
      compileObject(pick, other, statement),
      `${other.id} = ${id}`,
    ])
    return [of, object] as const
  })
  return byType(objects, type)
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
