// `_increment` of a merge patch: numbers to add to those of the row.

import { countableFields, incrementMember, type Resource } from '#model'
import { withAliases } from '#model/names'
import type { OpenapiObject } from '../json-parts.ts'
import { storedSchema } from './stored-schema.ts'

/** No property if the type has no number that an update can change. */
export function incrementProperty(of: Resource): OpenapiObject {
  const fields = withAliases(countableFields(of))
  if (fields.length === 0) return {}
  return {
    [incrementMember]: {
      type: ['object', 'null'],
      description:
        'Numbers to add to those of the row, without reading it; not 0. The constraints of a field hold for the sum (409). Null stays null. Repeat such a request only with its `Idempotency-Key`.',
      properties: Object.fromEntries(fields.map(({ name, type }) => [name, storedSchema(type, 'write')])),
      additionalProperties: false,
    },
  }
}
