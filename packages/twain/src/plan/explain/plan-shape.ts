// The shape of a plan in one line, for the slow-query log: what is read or written, with which filter and order. A plan has no
// values, so neither has its shape. Rules that `authorize` has put into filters are part of it.

import { unreachable } from '#base'
import { pathOf } from '../build/groups/group-keys.ts'
import { orderKeyName } from '../build/order.ts'
import type {
  GroupRead,
  GroupSelection,
  Measure,
  OrderKey,
  PageRead,
  Plan,
  RowLocator,
  Selection,
  TypeSelection,
  Where,
  WritePlan,
} from '../plan.ts'
import { rowsOf } from '../visit-plan.ts'

/** `Post list: id, title, author { name } where status eq order createdAt DESC, id`. */
export function planShape(plan: Plan): string {
  switch (plan.kind) {
    case 'one':
      return `${plan.of.name} by ${locator(plan)}: ${members(plan.selections)}`
    case 'many':
      return `${plan.of.name} list: ${pageShape(plan)}`
    case 'groups':
      return `${plan.of.name} groups: ${groupShape(plan)}`
    case 'write':
      return writeShape(plan)
    case 'batch':
      return [...new Set(plan.writes.map(writeShape))].join('; ')
    case 'bulk':
      return `${writeShape(plan.write)}${filterShape(plan.match)} order ${plan.match.order.map(orderKey).join(', ')}`
    default:
      return unreachable(plan)
  }
}

function locator({ key }: RowLocator): string {
  return key === undefined ? 'id' : key.map(({ field }) => field.name).join(', ')
}

function writeShape({ action, of, key, set }: WritePlan): string {
  const names = set.map(({ field }) => field.name).join(', ')
  const by = key === undefined ? '' : ` by ${locator({ id: null, key })}`
  return `${action} ${of.name}${by}${names === '' ? '' : `: ${names}`}`
}

function pageShape({ within, deleted, where, order, distinct, page, shape }: PageRead): string {
  const inside = within === null ? '' : ` within ${within.field.owner.name}.${within.field.name}`
  const hidden = deleted === undefined ? '' : ` deleted ${deleted.rows}`
  const filter = filterShape({ where })
  const bounds = page.kind === 'keyset' && page.after !== null ? ' after a cursor' : ''
  const first = distinct === undefined ? '' : ` distinct ${distinct.map(pathOf).join(', ')}`
  return `${rows(rowsOf(shape))}${inside}${hidden}${filter}${first} order ${order.map(orderKey).join(', ')}${bounds}`
}

function filterShape({ where }: Pick<PageRead, 'where'>): string {
  return where === null ? '' : ` where ${condition(where)}`
}

/** `count, sum total by status, createdAt MONTH where … having count gte order sum total DESC, status`. */
function groupShape({ within, where, by, having, order, selections }: GroupRead): string {
  const keys = (by ?? []).map(({ target, part }) => `${pathOf(target)}${part === null ? '' : ` ${part}`}`)
  const measured = measures(selections)
  const inside = within === null ? '' : ` within ${within.field.owner.name}.${within.field.name}`
  const filter = filterShape({ where })
  const conditions = having.map((one) => `${measure(one.measure)} ${one.kind === 'null' ? 'isNull' : one.op}`)
  const sorted = order.map((key) => {
    const name = key.kind === 'key' ? keys[key.of]! : measure(key.measure)
    return key.direction === 'DESC' ? `${name} DESC` : name
  })
  const words = [
    measured,
    keys.length === 0 ? '' : ` by ${keys.join(', ')}`,
    inside,
    filter,
    conditions.length === 0 ? '' : ` having ${conditions.join(' and ')}`,
    sorted.length === 0 ? '' : ` order ${sorted.join(', ')}`,
  ]
  return words.join('')
}

function measures(selections: readonly GroupSelection[]): string {
  const named = selections.flatMap((one) => {
    if (one.kind === 'object') return measures(one.selections) || []
    return one.kind === 'measure' ? [measure(one.measure)] : []
  })
  return named.join(', ')
}

function measure(one: Measure): string {
  return one.kind === 'count' ? 'count' : `${one.kind} ${pathOf(one.target)}`
}

function rows(types: readonly TypeSelection[]): string {
  if (types.length === 1) return members(types[0]!.selections)
  return types.map(({ of, selections }) => `${of.name} { ${members(selections)} }`).join(', ')
}

function members(selections: readonly Selection[]): string {
  return selections.map(member).join(', ')
}

function member(selection: Selection): string {
  switch (selection.kind) {
    case 'constant':
      return '__typename'
    case 'globalId':
      return '_nodeId'
    case 'version':
    case 'url':
      return selection.kind
    case 'one':
      return `${selection.field.name} { ${rows(selection.types)} }`
    case 'many':
      return `${selection.field.name} { ${pageShape(selection.read)} }`
    case 'groups':
      return `${selection.field.name} groups { ${groupShape(selection.read)} }`
    case 'changes':
      return '_changes'
    case 'field':
    case 'value':
    case 'id':
    case 'transitions':
    case 'computed':
      return selection.field.name
    default:
      return unreachable(selection)
  }
}

function orderKey(key: OrderKey): string {
  const name = orderKeyName(key, (field) => field.name)
  return key.direction === 'DESC' ? `${name} DESC` : name
}

function condition(where: Where): string {
  switch (where.kind) {
    case 'and':
    case 'or':
      return `(${where.of.map(condition).join(` ${where.kind} `)})`
    case 'not':
      return `not ${condition(where.of)}`
    case 'compare':
      return `${[where.target.field, ...where.target.inside].map(({ name }) => name).join('.')}${where.target.json === undefined ? '' : ' inside'} ${where.op}`
    case 'null':
      return `${'field' in where.target ? where.target.field.name : where.target.name} isNull`
    case 'through':
      return `${where.field.name} (${condition(where.where)})`
    case 'some':
    case 'none':
      return `${where.kind} ${where.field.name}${where.where === null ? '' : ` (${condition(where.where)})`}`
    case 'type':
      return `${where.of.name}${where.where === undefined ? '' : ` (${condition(where.where)})`}`
    case 'search':
      return `search ${where.fields.map(({ field }) => field.name).join(', ')}`
    case 'constant':
      return String(where.is)
    case 'viewer':
      return 'viewer'
    case 'live':
      return 'live'
    default:
      return unreachable(where)
  }
}
