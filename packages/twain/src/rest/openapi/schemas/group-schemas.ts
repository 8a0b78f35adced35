// Groups of rows, the answer to `groupBy` (docs/reference/rest.md#aggregates). Their keys and measures are those of the request.

import { fieldMeasureNames, fieldMeasures } from '#model'
import { type OpenapiObject, schemaRef } from '../json-parts.ts'

const measure = (description: string): OpenapiObject => ({ type: 'object', description, additionalProperties: true })

const group: OpenapiObject = {
  type: 'object',
  description: 'A group of rows, with the keys and measures that `fields` names.',
  properties: {
    key: { type: 'object', description: 'What the rows of the group have in common.', additionalProperties: true },
    count: { type: 'integer', minimum: 0, description: 'The number of rows.' },
    ...Object.fromEntries(fieldMeasureNames.map((name) => [name, measure(fieldMeasures[name])])),
  },
  additionalProperties: false,
}

export const groupSchemas: [name: string, schema: OpenapiObject][] = [
  ['twain.group', group],
  [
    'twain.groups',
    {
      description: 'With `groupBy`: the groups, or the one group of all rows.',
      anyOf: [{ type: 'array', items: schemaRef('twain.group') }, schemaRef('twain.group')],
    },
  ],
]
