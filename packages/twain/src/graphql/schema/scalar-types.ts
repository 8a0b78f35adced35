// The scalars: those of the schema file, and the built-in ones that the schema uses.

import { Kind, parse, visit } from 'graphql'
import type { Model, ScalarName } from '#model'
import { described } from './sdl.ts'

/** `text` is the rest of the schema: a built-in scalar is declared only if the text names it. */
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
  const builtIn = Object.entries(scalars).filter(([name]) => named.has(name) && !defined.has(name))
  return [
    ...model.scalars.map(({ name, description, specifiedBy }) => scalarText(name, description, specifiedBy)),
    ...builtIn.map(([name, { description, specifiedBy }]) => scalarText(name, description, specifiedBy)),
  ]
}

function scalarText(name: string, description: string | null, specifiedBy: string | null): string {
  const directive = specifiedBy === null ? '' : ` @specifiedBy(url: ${JSON.stringify(specifiedBy)})`
  return described(description, `scalar ${name}${directive}`)
}

type BuiltInScalar = Exclude<ScalarName, 'Int' | 'Float' | 'String' | 'Boolean' | 'ID'> | 'Upload'

const scalars: Record<BuiltInScalar, { description: string; specifiedBy: string | null }> = {
  DateTime: {
    description: 'A time (RFC 3339), in UTC with milliseconds: "2026-01-31T09:30:00.000Z".',
    specifiedBy: 'https://www.rfc-editor.org/rfc/rfc3339',
  },
  Date: { description: 'A calendar date: "2026-01-31".', specifiedBy: 'https://www.rfc-editor.org/rfc/rfc3339' },
  JSON: { description: 'Any JSON value.', specifiedBy: 'https://www.rfc-editor.org/rfc/rfc8259' },
  Decimal: { description: 'An exact decimal number, as a string: "19.90".', specifiedBy: null },
  Upload: {
    description: 'A file of a multipart request, or the id of an uploaded file.',
    specifiedBy: 'https://github.com/jaydenseric/graphql-multipart-request-spec',
  },
  BigInt: { description: 'An exact integer of any size, as a string: "9007199254740993".', specifiedBy: null },
}
