// Previous names (`@was`) in a request, which answers with `Deprecation` for them. They are beside the plan and not in it: the
// plan of a request is the same under both names.

import { isRecord, unreachable } from '#base'
import type { StoredType, ValueType } from '#model'
import type { FormerNames, ParameterType } from '../plan.ts'

/** Whether a value of this parameter can have a previous name: of an enum value, or of a field of a value type. */
export function mayHaveFormerName(accepts: ParameterType): boolean {
  const type = typeOf(accepts)
  return type !== null && isRenamed(type)
}

/** The paths of all previous names: those of the request's own words, and those in its values. */
export function formerNamesIn({ names, parameters }: FormerNames, values: readonly unknown[]): string[] {
  const found = [...names]
  for (const { index, accepts } of parameters) collect(typeOf(accepts)!, values[index], found)
  return found
}

function typeOf(accepts: ParameterType): StoredType | null {
  switch (accepts.kind) {
    case 'type':
    case 'types':
    case 'bound':
      return accepts.type
    case 'field':
      return accepts.field.kind === 'stored' ? accepts.field.type : null
    case 'argument':
      return accepts.argument.type
    case 'ids':
    case 'increment':
    case 'size':
    case 'offset':
    case 'version':
    case 'password':
    case 'currentPassword':
    case 'search':
      return null
    default:
      return unreachable(accepts)
  }
}

function isRenamed(type: StoredType): boolean {
  switch (type.kind) {
    case 'list':
      return isRenamed(type.of)
    case 'enum':
      return type.enum.values.some(({ alias }) => alias !== undefined)
    case 'value':
      return isRenamedValue(type.value)
    case 'scalar':
    case 'custom':
      return false
    default:
      return unreachable(type)
  }
}

const renamedValues = new WeakMap<ValueType, boolean>()

function isRenamedValue(value: ValueType): boolean {
  const known = renamedValues.get(value)
  if (known !== undefined) return known
  renamedValues.set(value, false) // an input type can contain itself
  const fields = [...value.fields.values()]
  const isFound = fields.some(({ alias, type }) => alias !== undefined || isRenamed(type))
  renamedValues.set(value, isFound)
  return isFound
}

function collect(type: StoredType, value: unknown, found: string[]): void {
  if (Array.isArray(value)) {
    const item = type.kind === 'list' ? type.of : type
    for (const one of value) collect(item, one, found)
  } else if (type.kind === 'enum') {
    const { name, values } = type.enum
    if (!values.some((one) => one.name === value) && values.some(({ alias }) => alias === value)) {
      found.push(`${name}.${value}`)
    }
  } else if (type.kind === 'value' && isRecord(value)) {
    for (const field of type.value.fields.values()) {
      const isFormer = field.alias !== undefined && value[field.name] === undefined && value[field.alias] !== undefined
      if (isFormer) found.push(`${type.value.name}.${field.alias}`)
      const member = value[field.name] ?? (field.alias === undefined ? undefined : value[field.alias])
      if (member !== undefined) collect(field.type, member, found)
    }
  }
}
