// An upsert: a create that changes the row instead, if one has the key. Both adapters plan it here.

import { isRecord } from '#base'
import type { KeyField, Resource } from '#model'
import { namesOf } from '#model/names'
import { isSetField, type Selection, type SetField, type SetMember, type WriteBatch, type WritePlan } from '../plan.ts'
import { expectRows, isCaptcha, isCurrentPassword, isPassword, isRequiredInput, planInput } from './input.ts'
import { planKey, type RequestKeyPart, withKey, withoutKey } from './keys.ts'
import type { PlanBuilder } from './plan-builder.ts'
import { currentValue } from './request-value.ts'

/** `leave`: a row that has the key stays as it is. */
export type Resolution = 'merge' | 'leave'

/** The row of a request that has its key among its fields. */
export interface KeyedInput {
  input: unknown
  /** The place of the row in the request; empty: the request has one row. */
  place: string
}

/** One row of `POST /posts?onConflict=slug`. */
export function planMerge(
  { input, place }: KeyedInput,
  fields: readonly KeyField[],
  resolution: Resolution,
  of: Resource,
  answer: Selection[],
  builder: PlanBuilder,
): WritePlan {
  const key = keyOf(input, fields, builder, place)
  const { key: parts = [] } = planKey(key, of, builder)
  const set = planInput(input, of, 'create', builder, place, false)
  const update = resolution === 'leave' ? [] : changesOf(set, fields)
  return { kind: 'write', action: 'upsert', of, id: null, key: parts, set, update, ifVersion: null, answer }
}

/** All rows or none, in their order: a later row with the same key changes the earlier one. */
export function planMerges(
  inputs: readonly unknown[],
  fields: readonly KeyField[],
  resolution: Resolution,
  of: Resource,
  answer: Selection[],
  builder: PlanBuilder,
  maxRows: number,
  places?: readonly string[],
): WriteBatch {
  expectRows(inputs.length, builder, '', maxRows)
  const writes = inputs.map((input, index) =>
    planMerge({ input, place: places?.[index] ?? String(index) }, fields, resolution, of, answer, builder),
  )
  return { kind: 'batch', writes, ...(places && { places }) }
}

/** `upsertPost(key, create, update)`. Without `update`, the fields of `create` are changed, as in REST. */
export function planUpsert(
  key: readonly RequestKeyPart[],
  create: unknown,
  update: unknown,
  of: Resource,
  answer: Selection[],
  builder: PlanBuilder,
): WritePlan {
  const { key: parts = [] } = planKey(key, of, builder)
  const set = planInput(inKeyOrder(create, key, builder), of, 'create', builder, '', false)
  const fields = key.map(({ field }) => field)
  const changes =
    update === undefined || update === null ? changesOf(set, fields) : planChanges(update, key, of, builder)
  return { kind: 'write', action: 'upsert', of, id: null, key: parts, set, update: changes, ifVersion: null, answer }
}

/** The input in its own order, with the fields of the key. */
function inKeyOrder(create: unknown, key: readonly RequestKeyPart[], builder: PlanBuilder): unknown {
  withoutKey(create, key, builder, 'in key')
  return withKey(create, key)
}

const updatePlace = 'update'

function planChanges(update: unknown, key: readonly RequestKeyPart[], of: Resource, builder: PlanBuilder): SetMember[] {
  const input = currentValue(update)
  if (isRecord(input) && builder.visibility.account === of && Object.hasOwn(input, 'password')) {
    builder.problem(`${updatePlace}.password`, 'READONLY', 'can only be changed by an update.')
    return []
  }
  return planInput(withoutKey(input, key, builder, 'in key'), of, 'update', builder, updatePlace, false)
}

/** What a create sets, as a change of a row that is there. Rows of lists and the password belong to a new row only. */
function changesOf(set: readonly SetMember[], key: readonly KeyField[]): SetField[] {
  return set
    .filter(isSetField)
    .filter(({ field, change }) => change === undefined && !key.some((one) => one === field))
    .filter((member) => !isPassword(member) && !isCurrentPassword(member) && !isCaptcha(member))
}

/** The key among the fields of the row. A required field that is missing is reported as that of a create. */
function keyOf(input: unknown, fields: readonly KeyField[], builder: PlanBuilder, place: string): RequestKeyPart[] {
  const row = currentValue(input)
  if (!isRecord(row)) return []
  return fields.flatMap((field) => {
    const name = namesOf(field).find((one) => Object.hasOwn(row, one)) ?? field.name
    const path = place === '' ? name : `${place}.${name}`
    const leaf = row[name] ?? null
    if (leaf !== null) return [{ field, name, leaf, place: path }]
    if (!isRequiredInput(field)) builder.problem(path, 'REQUIRED', 'is required: onConflict names it.')
    return []
  })
}
