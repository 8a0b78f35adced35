// The JSON Schema of a JSON patch (RFC 6902; docs/reference/rest.md, R49).

import type { Model, Resource } from '#model'
import type { Limits } from '#plan'
import { exampleMerge } from '#plan/explain'
import type { OpenapiObject } from '../json-parts.ts'

const pointer: OpenapiObject = {
  type: 'string',
  description: 'A JSON pointer (RFC 6901) into the row.',
  pattern: '^(/([^~/]|~[01])*)*$',
}

export function jsonPatchSchema({ transaction }: Limits): OpenapiObject {
  return {
    type: 'array',
    description: 'Operations in their order, all or none (RFC 6902).',
    maxItems: transaction === 0 ? undefined : transaction,
    items: {
      oneOf: [
        operation(['add', 'replace', 'test'], { path: pointer, value: { description: 'Any JSON.' } }),
        operation(['remove'], { path: pointer }),
        operation(['move', 'copy'], { path: pointer, from: pointer }),
      ],
    },
  }
}

function operation(names: readonly string[], members: OpenapiObject): OpenapiObject {
  return {
    type: 'object',
    properties: { op: { type: 'string', enum: names }, ...members },
    required: ['op', ...Object.keys(members)],
  }
}

/** One example for all types: the first possible change. */
export function jsonPatchExample(of: Resource, model: Model): [name: string, example: OpenapiObject] {
  const operations = Object.entries(exampleMerge(of, model) as object).map(([name, value]) => {
    return { op: 'add', path: `/${name}`, value }
  })
  return ['twain.jsonPatch', { summary: `A change of a ${of.name}`, value: operations }]
}
