// What GraphQL itself forbids (specification, section 3) beside what the other checks refuse: graphql-js validates the definitions of
// the file. Clients' tools read the served schema, and would refuse all of it.

import {
  buildASTSchema,
  concatAST,
  type DefinitionNode,
  type DocumentNode,
  isTypeDefinitionNode,
  Kind,
  parse,
  specifiedScalarTypes,
  validateSchema,
  visit,
} from 'graphql'
import type { MistakeReport } from '../mistakes.ts'

/** Reports nothing beside other mistakes: one of them may be the cause. */
export function checkGraphql(document: DocumentNode, report: MistakeReport): void {
  if (report.mistakes.length > 0) return
  const schema = buildASTSchema(withMissingTypes(document), { assumeValidSDL: true }) // the outline has checked the SDL
  for (const { message, nodes = [] } of validateSchema(schema)) {
    report.at(nodes.find(({ loc }) => loc !== undefined) ?? {}, message, hintOf(message))
  }
}

/** With what the server adds: the types of its own that the file names, and the root types that it only extends. Which of them are
 *  scalars makes no difference here. */
function withMissingTypes({ definitions }: DocumentNode): DocumentNode {
  const defined = new Set(definitions.filter(isTypeDefinitionNode).map(({ name }) => name.value))
  for (const { name } of specifiedScalarTypes) defined.add(name)
  const named = new Set<string>()
  visit({ kind: Kind.DOCUMENT, definitions }, { NamedType: ({ name }) => void named.add(name.value) })
  const scalars = [...named].filter((name) => !defined.has(name) && !rootTypes.has(name))
  const roots = [...rootTypes].filter(([name]) => !defined.has(name) && (name === 'Query' || isExtended(name)))
  const added = [...scalars.map((name) => `scalar ${name}`), ...roots.map(([, sdl]) => sdl)]
  const parsed = added.map((sdl) => parse(sdl, { noLocation: true }))
  return concatAST([{ kind: Kind.DOCUMENT, definitions }, ...parsed])

  function isExtended(type: string): boolean {
    return definitions.some((one: DefinitionNode) => one.kind === Kind.OBJECT_TYPE_EXTENSION && one.name.value === type)
  }
}

const rootTypes = new Map(['Query', 'Mutation', 'Subscription'].map((name) => [name, `type ${name} { _: Boolean }`]))

/** How to mend what graphql-js says. */
const hints: readonly [RegExp, string][] = [
  [/^Required .* cannot be deprecated/, 'Nobody could leave it out: remove the !, or @deprecated.'],
  [/^OneOf .* must be nullable/, 'A client sends exactly one of the fields: remove the !.'],
  [/^OneOf .* default value/, 'A client sends exactly one of the fields: remove the default.'],
  [/cannot be provided a finite value/, 'Remove a ! on the way, so that a value can end.'],
  [/must not be deprecated/, 'Deprecate the field of the interface too, or remove @deprecated.'],
]

function hintOf(message: string): string {
  return hints.find(([pattern]) => pattern.test(message))?.[1] ?? 'The GraphQL specification forbids it (section 3).'
}
