// Removed types. GraphQL has no @deprecated for types. A resource counts as deprecated if all its fields were; a value type,
// an enum or a scalar if every field and operation that uses it was.

import { unreachable } from '#base'
import type { Model, ModelType, StoredType } from '../model.ts'
import type { Differences } from './differences.ts'

export function compareRemovedType(type: ModelType, before: Model, found: Differences): void {
  found.removed(
    type.name,
    `${words[type.kind]} ${type.name}`,
    wasAnnounced(type, before),
    type.kind === 'resource' && type.view === undefined ? 'dropped' : 'stay',
    'type',
  )
}

export const words: Readonly<Record<ModelType['kind'], string>> = {
  resource: 'type',
  value: 'type',
  abstract: 'collection',
  enum: 'enum',
  custom: 'scalar',
}

function wasAnnounced(type: ModelType, before: Model): boolean {
  switch (type.kind) {
    case 'resource': {
      const ownFields = [...type.fields.values(), ...type.computed.values()].filter(({ name }) => name !== 'id')
      return ownFields.length > 0 && ownFields.every(({ deprecated }) => deprecated !== null)
    }
    case 'abstract':
      return false
    case 'value':
    case 'enum':
    case 'custom':
      return !isUsed(type, before)
    default:
      return unreachable(type)
  }
}

/** Whether something that was not deprecated had it as a type, a result or an argument. */
function isUsed(type: ModelType, { resources, views, values, inputs, operations }: Model): boolean {
  const uses = (stored: StoredType): boolean => {
    if (stored.kind === 'list') return uses(stored.of)
    if (stored.kind === 'enum') return stored.enum === type
    if (stored.kind === 'value') return stored.value === type
    return stored.kind === 'custom' && stored.scalar === type
  }
  const ofRows = [...resources, ...views]
    .flatMap(({ fields }) => [...fields.values()])
    .filter((field) => field.kind === 'stored')
  const ofValues = [...values, ...inputs].flatMap(({ fields }) => [...fields.values()])
  const ofCode = [...operations, ...resources.flatMap(({ computed }) => [...computed.values()])]
  return (
    [...ofRows, ...ofValues].some((field) => field.deprecated === null && uses(field.type)) ||
    ofCode.some(
      ({ deprecated, args, type: resultType }) =>
        deprecated === null &&
        (args.some((arg) => uses(arg.type)) || (resultType.kind === 'stored' && uses(resultType.type))),
    )
  )
}
