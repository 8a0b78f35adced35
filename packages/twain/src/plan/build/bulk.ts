// The same update or delete of every row that matches a filter. Both adapters plan it here.
//
// The order of parameters: those of the filter, the limit, then the input.

import { ApiError } from '#base'
import type { Resource, StoredField } from '#model'
import type { Limits } from '../limit/limits.ts'
import { type BulkWrite, isSetField, type OrderKey, type PageRead, type SetMember, type Where } from '../plan.ts'
import { someCondition } from '../visit-plan.ts'
import { isCurrentPassword, lockMember, planInput } from './input.ts'
import type { PlanBuilder } from './plan-builder.ts'
import { currentValue } from './request-value.ts'

/** The rows of a bulk write, as a request names them. */
export interface BulkMatch {
  where: Where | null
  order: OrderKey[]
  /** Undefined: all rows that match, if they are not too many. */
  limit: unknown
  limitPlace: string
  /** Whether the request says that every row is meant (`all`). */
  isAll: boolean
}

/** As large as a LIMIT of both databases may be. */
const unlimited = 2 ** 31 - 2

/** `input`: undefined for a delete. `merge`: as in `planInput`. */
export function planBulk(
  of: Resource,
  match: BulkMatch,
  input: { tree: unknown; merge: boolean } | undefined,
  builder: PlanBuilder,
  limits: Limits,
): BulkWrite {
  const read = planMatch(of, match, builder, limits.bulk)
  const set = input === undefined ? [] : planChanges(of, input, builder)
  builder.finish(limits)
  if (!match.isAll) expectCondition(match.where, of, builder)
  const action = input === undefined ? 'delete' : 'update'
  return {
    kind: 'bulk',
    of,
    match: read,
    write: { kind: 'write', action, of, id: null, set, ifVersion: null, answer: answerOf(of) },
    ids: { index: builder.requestValues.length, accepts: { kind: 'ids' } },
  }
}

/** One row more than allowed shows that there are too many. */
function planMatch(
  of: Resource,
  { where, order, limit, limitPlace }: BulkMatch,
  builder: PlanBuilder,
  maxRows: number,
): PageRead {
  const most = maxRows === 0 ? unlimited - 1 : maxRows
  const size =
    limit === undefined
      ? builder.parameter({ kind: 'size', max: most + 1 }, most + 1, limitPlace)
      : builder.parameter({ kind: 'size', max: most }, limit, limitPlace)
  const offset = builder.parameter({ kind: 'offset' }, 0, 'offset')
  const id = of.fields.get('id') as StoredField
  return {
    kind: 'many',
    of,
    within: null,
    where,
    order,
    page: { kind: 'offset', limit: size, offset },
    shape: { kind: 'list', types: [{ of, selections: [{ kind: 'field', key: 'id', field: id }] }] },
  }
}

/** Rows of lists, passwords and logins belong to one row. */
function planChanges(
  of: Resource,
  { tree, merge }: { tree: unknown; merge: boolean },
  builder: PlanBuilder,
): SetMember[] {
  const set = planInput(tree, of, 'update', builder, '', merge)
  for (const member of set) {
    if (isCurrentPassword(member)) continue
    const name = isSetField(member) ? member.field.name : `_${member.field.name}`
    const isOwn = isSetField(member)
      ? member.parameter.accepts.kind === 'password' || ('isLogin' in member.field && member.field.isLogin === true)
      : true
    if (isOwn || name === lockMember)
      builder.problem(name, 'READONLY', `can only be changed by an update of one ${of.name}.`)
  }
  return set
}

/** One array for each type: the store caches the statement that reads a written row back by it. */
const answers = new WeakMap<Resource, []>()

function answerOf(of: Resource): [] {
  const answer = answers.get(of) ?? []
  answers.set(of, answer)
  return answer
}

/** A filter that leaves no row out is a mistake more often than a wish. */
function expectCondition(where: Where | null, of: Resource, builder: PlanBuilder): void {
  const isEmpty = where === null || truthOf(where, builder) === true || !someCondition(where, isAboutRows)
  if (!isEmpty) return
  throw new ApiError('BAD_REQUEST', `The filter has no condition: it would take all ${of.list}.`, {
    hint: 'Name the rows by a filter. If you mean all of them, say so: all=true in REST, all: true in GraphQL.',
  })
}

function isAboutRows({ kind }: Where): boolean {
  return kind !== 'and' && kind !== 'or' && kind !== 'not' && kind !== 'constant'
}

/** Whether the condition holds for every row, or for none; null: it depends on the row. */
function truthOf(where: Where, builder: PlanBuilder): boolean | null {
  switch (where.kind) {
    case 'constant':
      return where.is
    case 'not': {
      const inner = truthOf(where.of, builder)
      return inner === null ? null : !inner
    }
    case 'and':
    case 'or': {
      const parts = where.of.map((part) => truthOf(part, builder))
      const decisive = where.kind === 'or'
      if (parts.includes(decisive)) return decisive
      return parts.includes(null) ? null : !decisive
    }
    case 'compare': {
      if ((where.op !== 'in' && where.op !== 'notIn') || !('index' in where.parameter)) return null
      const list = currentValue(builder.requestValues[where.parameter.index])
      return Array.isArray(list) && list.length === 0 ? where.op === 'notIn' : null
    }
    case 'null':
      return where.target.kind === 'target' && where.target.inside.length === 0 && isNeverNull(where.target.field)
        ? !where.is
        : null
    default:
      return null
  }
}

function isNeverNull({ required, type }: StoredField): boolean {
  return required && type.kind !== 'custom'
}
