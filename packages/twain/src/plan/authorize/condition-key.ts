// A text that two conditions of rules share exactly if they are equal, so that each is judged and compiled once. Conditions lead to
// the whole model, so they can't be compared as they are.

import { unreachable } from '#base'
import type { AnyField } from '#model'
import type { ComparedField, Where } from '../plan.ts'

export function conditionKey(where: Where): string {
  switch (where.kind) {
    case 'and':
    case 'or':
      return `${where.kind}(${where.of.map(conditionKey).join()})`
    case 'not':
      return `not(${conditionKey(where.of)})`
    case 'constant':
      return String(where.is)
    case 'compare':
      return `${where.op}(${targetKey(where.target)},${valueKey(where.parameter)})`
    case 'null': {
      const { target } = where
      return `null(${target.kind === 'target' ? targetKey(target) : fieldKey(target)},${where.is})`
    }
    case 'through':
    case 'some':
    case 'none':
      return `${where.kind}(${fieldKey(where.field)},${where.where === null ? '' : conditionKey(where.where)})`
    case 'type':
      return `type(${where.of.name},${where.where === undefined ? '' : conditionKey(where.where)})`
    case 'live':
      return `live(${where.above.map(fieldKey).join()})`
    case 'search': {
      const fields = where.fields.map(({ field, guard }) => [fieldKey(field), guard && conditionKey(guard)])
      return `search(${where.parameter.index},${valueKey(fields)})`
    }
    case 'viewer':
      return 'viewer'
    default:
      return unreachable(where)
  }
}

function fieldKey({ owner, name }: Pick<AnyField, 'name'> & { owner: { name: string } }): string {
  return `${owner.name}.${name}`
}

function targetKey({ field, inside, json }: ComparedField): string {
  const path = [fieldKey(field), ...inside.map(({ name }) => name)].join('.')
  return json === undefined ? path : `${path}${valueKey(json)}`
}

/** A constant, a claim or a parameter, with all that it has. */
function valueKey(value: unknown): string {
  return JSON.stringify(value, (_, member) => (typeof member === 'bigint' ? `${member}n` : member))
}
