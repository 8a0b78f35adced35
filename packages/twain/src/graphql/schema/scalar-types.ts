// The scalars: those of the schema file, and the built-in ones that the schema uses.

import { type DocumentNode, Kind, type TypeNode } from 'graphql'
import { type Model, type Scalar, scalarNames, scalarOf } from '#model'
import { described } from './sdl.ts'

/** `document` is the rest of the schema: a built-in scalar is declared only if the schema names it. */
export function scalarTypes(model: Model, document: DocumentNode): string[] {
  const named = namesIn(document)
  return [
    ...model.scalars.map(({ name, description, specifiedBy }) => scalarText(name, description, specifiedBy)),
    ...builtInScalars
      .filter(([name]) => named.used.has(name) && !named.defined.has(name))
      .map(([name, { description, specifiedBy }]) => scalarText(name, description, specifiedBy)),
  ]
}

/** The types that fields and arguments have, and the scalars that are defined. */
function namesIn({ definitions }: DocumentNode): { used: ReadonlySet<string>; defined: ReadonlySet<string> } {
  const used = new Set<string>()
  const defined = new Set<string>()
  for (const definition of definitions) {
    if (definition.kind === Kind.SCALAR_TYPE_DEFINITION) defined.add(definition.name.value)
    if ('arguments' in definition) for (const { type } of definition.arguments ?? []) used.add(nameOf(type))
    if (!('fields' in definition)) continue
    for (const field of definition.fields ?? []) {
      used.add(nameOf(field.type))
      if (field.kind !== Kind.FIELD_DEFINITION) continue
      for (const { type } of field.arguments ?? []) used.add(nameOf(type))
    }
  }
  return { used, defined }
}

function nameOf(type: TypeNode): string {
  return type.kind === Kind.NAMED_TYPE ? type.name.value : nameOf(type.type)
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
