// The scalars of a contract: the file's own, and those of ours that it uses.

import { Kind, parse, visit } from 'graphql'
import type { Model, ScalarName } from '#model'
import { described } from './sdl.ts'

/** `text` is the rest of the contract: a scalar of ours is declared when something there names it. */
export function scalarTypes(model: Model, text: string): string[] {
  const named = new Set<string>()
  const defined = new Set<string>()
  visit(parse(text, { noLocation: true }), {
    [Kind.NAMED_TYPE]: (node) => {
      named.add(node.name.value)
    },
    [Kind.SCALAR_TYPE_DEFINITION]: (node) => {
      defined.add(node.name.value)
    },
  })
  const ours = Object.entries(scalars).filter(([name]) => named.has(name) && !defined.has(name))
  return [
    ...model.scalars.map(({ name, description, specifiedBy }) => scalarText(name, description, specifiedBy)),
    ...ours.map(([name, { description, specifiedBy }]) => scalarText(name, description, specifiedBy)),
  ]
}

function scalarText(name: string, description: string | null, specifiedBy: string | null): string {
  const address = specifiedBy === null ? '' : ` @specifiedBy(url: ${JSON.stringify(specifiedBy)})`
  return described(description, `scalar ${name}${address}`)
}

type BuiltInScalar = Exclude<ScalarName, 'Int' | 'Float' | 'String' | 'Boolean' | 'ID'> | 'Upload'

const scalars: Record<BuiltInScalar, { description: string; specifiedBy: string | null }> = {
  DateTime: {
    description: 'A moment, RFC 3339, given in UTC with milliseconds: "2026-01-31T09:30:00.000Z".',
    specifiedBy: 'https://www.rfc-editor.org/rfc/rfc3339',
  },
  Date: { description: 'A day of the calendar: "2026-01-31".', specifiedBy: 'https://www.rfc-editor.org/rfc/rfc3339' },
  JSON: { description: 'Any JSON.', specifiedBy: 'https://www.rfc-editor.org/rfc/rfc8259' },
  Decimal: { description: 'An exact decimal number, as a string: "19.90".', specifiedBy: null },
  Upload: {
    description: 'A file of a multipart request, or the id of one that was uploaded before.',
    specifiedBy: 'https://github.com/jaydenseric/graphql-multipart-request-spec',
  },
  BigInt: { description: 'An exact whole number of any size, as a string: "9007199254740993".', specifiedBy: null },
}
