// `_tags: {connect, disconnect, create, update, delete}` of a create or an update: writes of the rows of a list.

import { didYouMean, isRecord } from '#base'
import { type ListField, type ListWrite, listMember, listWrites, type Resource, whyNot } from '#model'
import type { Parameter, SetList, SetMember } from '../plan.ts'
import type { PlanBuilder } from './plan-builder.ts'
import { currentValue } from './request-value.ts'

/** Plans the fields of one row of the list. */
type PlanRow = (input: unknown, action: 'create' | 'update', place: string) => SetMember[]

/** Null changes nothing, and so does each of its members. */
export function planList(
  leaf: unknown,
  field: ListField,
  action: 'create' | 'update',
  builder: PlanBuilder,
  place: string,
  planRow: PlanRow,
): SetMember[] {
  const input = currentValue(leaf)
  if (input === null) return []
  if (!isRecord(input)) {
    builder.problem(place, 'TYPE', `must be an object with ${possibleWrites(field, action).join(', ')}.`)
    return []
  }
  const list: SetList = { field, disconnect: null, delete: null, connect: null, update: [], create: [] }
  const links: SetMember[] = []
  for (const [name, items] of Object.entries(input)) {
    const path = `${place}.${name}`
    if (currentValue(items ?? null) === null || !isPossible(name, field, action, builder, path)) continue
    const rows = countedItems(items, builder, path)
    if (rows === null) continue
    if (name === 'create') {
      list.create = rows.map((row, index) => planRow(row, 'create', `${path}.${index}`))
    } else if (name === 'update') {
      list.update = rows.flatMap((row, index) => planUpdate(row, field, builder, `${path}.${index}`, planRow))
    } else if (name !== 'delete' && field.kind === 'links') {
      const parameter = builder.parameter({ kind: 'field', field, merge: false }, items, path)
      links.push({ field, parameter, change: name })
    } else list[name] = idsParameter(items, builder, path)
  }
  return isEmpty(list) ? links : [...links, list]
}

function idsParameter(items: unknown, builder: PlanBuilder, path: string): Parameter {
  return builder.parameter({ kind: 'ids' }, items, path)
}

function isEmpty(list: SetList): boolean {
  const ids = [list.disconnect, list.delete, list.connect]
  return ids.every((one) => one === null) && list.update.length === 0 && list.create.length === 0
}

function possibleWrites(field: ListField, action: 'create' | 'update'): ListWrite[] {
  return listWrites.filter((write) => whyNot(write, field, action) === null)
}

function isPossible(
  name: string,
  field: ListField,
  action: 'create' | 'update',
  builder: PlanBuilder,
  path: string,
): name is ListWrite {
  const write = listWrites.find((one) => one === name)
  if (write === undefined) {
    const possible = possibleWrites(field, action)
    const near = didYouMean(name, possible) || ` There are ${possible.join(', ')}.`
    builder.problem(path, 'UNKNOWN', `is nothing that ${listMember(field)} can do.${near}`)
    return false
  }
  const why = whyNot(write, field, action)
  if (why !== null) builder.problem(path, 'READONLY', why)
  return why === null
}

/** The items of a list, whose rows count as written in this request. */
function countedItems(leaf: unknown, builder: PlanBuilder, path: string): unknown[] | null {
  const items = currentValue(leaf)
  if (!Array.isArray(items)) {
    builder.problem(path, 'TYPE', 'must be a list.')
    return null
  }
  if (builder.countRows(items.length)) return items
  builder.problem(path, 'LENGTH', `is too long: at most ${builder.maxRows} rows can be written at once.`)
  return null
}

/** An update of a row of the list: its id, and the fields to change. */
function planUpdate(
  row: unknown,
  { to }: ListField,
  builder: PlanBuilder,
  place: string,
  planRow: PlanRow,
): SetList['update'] {
  const input = currentValue(row)
  if (!isRecord(input)) {
    builder.problem(place, 'TYPE', `must be an object with the id and the fields of a ${to.name}.`)
    return []
  }
  const { id: key, ...fields } = input as Record<string, unknown>
  if (key === undefined || key === null) {
    builder.problem(`${place}.id`, 'REQUIRED', 'is required.')
    return []
  }
  const id = builder.parameter({ kind: 'type', type: { kind: 'scalar', name: 'ID' } }, key, `${place}.id`)
  return [{ id, set: planRow(fields, 'update', place) }]
}

/** The message for a list that is set and changed in one write. */
export function listSetTwice({ name }: ListField): string {
  return `changes ${name}, which is set in the same write: set the list or change it, not both.`
}

const ownMembers = new Set(['password', 'currentPassword', '_captcha', '_locked'])

/** Fields of an account that only a write of its own changes: its owner confirms it. */
export function isOwnWrite(name: string, of: Resource): boolean {
  if (ownMembers.has(name)) return !of.fields.has(name)
  const field = of.fields.get(name)
  return field?.kind === 'stored' && field.isLogin === true
}
