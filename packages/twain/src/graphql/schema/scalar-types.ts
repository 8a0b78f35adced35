// The scalars: those of the schema file, and the built-in ones that the schema uses.

import { Kind, parse, visit } from 'graphql'
import { type Model, type Scalar, scalarNames, scalarOf } from '#model'
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
  const builtIn = builtInScalars.filter(([name]) => named.has(name) && !defined.has(name))
  return [
    ...model.scalars.map(({ name, description, specifiedBy }) => scalarText(name, description, specifiedBy)),
    ...builtIn.map(([name, { description, specifiedBy }]) => scalarText(name, description, specifiedBy)),
  ]
}

/** All of them. */
export function builtInScalarTypes(): string[] {
  return builtInScalars.map(([name, { description, specifiedBy }]) => scalarText(name, description, specifiedBy))
}

function scalarText(name: string, description: string | null, specifiedBy: string | null): string {
  const directive = specifiedBy === null ? '' : ` @specifiedBy(url: ${JSON.stringify(specifiedBy)})`
  return described(description, `scalar ${name}${directive}`)
}

/** `Upload` is a type of arguments: what is stored is the id of a file. */
const upload = {
  description: 'A file of a multipart request, or the id of an uploaded file.',
  specifiedBy: 'https://github.com/jaydenseric/graphql-multipart-request-spec',
}

const builtInScalars: readonly (readonly [string, NonNullable<Scalar['sdl']>])[] = [
  ...scalarNames.flatMap((name) => {
    const { sdl } = scalarOf(name)
    return sdl === null ? [] : [[name, sdl] as const]
  }),
  ['Upload', upload],
]
