// Prints conditions in short form, for the tests of this module.

import type { Where } from './plan.ts'

export function printWhere(where: Where | null): string {
  if (where === null) return ''
  switch (where.kind) {
    case 'and':
    case 'or':
      return `(${where.of.map(printWhere).join(where.kind === 'and' ? ' & ' : ' | ')})`
    case 'not':
      return `!${printWhere(where.of)}`
    case 'constant':
      return String(where.is)
    case 'compare':
      return `${printField(where.target)} ${where.op}${'constant' in where.parameter ? ` ${JSON.stringify(where.parameter.constant)}` : ''}`
    case 'null':
      return `${where.target.kind === 'target' ? printField(where.target) : where.target.name} ${where.is ? 'null' : 'set'}`
    case 'viewer':
      return 'viewer'
    case 'live':
      return 'live'
    case 'type':
      return `is ${where.of.name}${where.where === undefined ? '' : `(${printWhere(where.where)})`}`
    case 'search':
      return `search ${where.fields.map(({ field, guard }) => `${field.owner.name}.${field.name}${guard === undefined ? '' : `[${printWhere(guard)}]`}`).join(' ')}`
    case 'through':
      return `${where.field.name}→${printWhere(where.where)}`
    case 'some':
    case 'none':
      return `${where.kind} ${where.field.name}(${printWhere(where.where)})`
  }
}

function printField({ field, inside }: { field: { name: string }; inside: readonly { name: string }[] }): string {
  return [field, ...inside].map(({ name }) => name).join('.')
}
