// The text of a schema, in one file or in the files of a folder, and its syntax trees. The definitions of a folder get an order
// that does not depend on the files, so that the same types in other files are the same schema.

import { GraphQLError } from 'graphql/error'
import { type DefinitionNode, type DocumentNode, Kind, parse, Source } from 'graphql/language'
import { type Mistake, SchemaMistakes } from '../mistakes.ts'

export interface SchemaSource {
  /** The path for messages. */
  file: string
  text: string
}

/** Throws SchemaMistakes with the first syntax error of each file: the parser can't continue after one. */
export function parseSources(sources: readonly SchemaSource[]): DocumentNode {
  const definitions: DefinitionNode[] = []
  const mistakes: Mistake[] = []
  for (const source of sources) {
    if (isBlank(source.text)) continue
    const parsed = parseSource(source)
    if ('kind' in parsed) definitions.push(...parsed.definitions)
    else mistakes.push(parsed)
  }
  if (mistakes.length > 0) throw new SchemaMistakes(mistakes)
  if (definitions.length === 0) throw new SchemaMistakes([emptySchema(sources)])
  return { kind: Kind.DOCUMENT, definitions }
}

function parseSource({ file, text }: SchemaSource): DocumentNode | Mistake {
  try {
    return parse(new Source(text, file))
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error
    const { line, column } = error.locations?.[0] ?? { line: 1, column: 1 }
    const message = `This is not GraphQL: ${error.message.replace(/^Syntax Error: /, '')}`
    return { file, line, column, message, hint: null }
  }
}

function emptySchema([first, ...others]: readonly SchemaSource[]): Mistake {
  const message = others.length === 0 ? 'The file has no types.' : 'No file of the folder has types.'
  const hint = 'A type with an id is a resource: type Post { id: ID! title: String! }'
  return { file: first?.file ?? '', line: 1, column: 1, message, hint }
}

/** Whether the text has only comments, commas and white space, which GraphQL ignores. */
function isBlank(sdl: string): boolean {
  return sdl.replace(/#[^\n\r]*/g, '').replace(/[\s,\uFEFF]/g, '') === ''
}

/** The definitions by their names, whatever file they stand in: the schema itself, types, then extensions. Two extensions of a
 *  type have the order of their texts. Definitions with the same name, which are a mistake, keep the order of the files. */
export function orderDefinitions({ definitions }: DocumentNode): DocumentNode {
  const keyed = definitions.map((node) => ({ node, key: orderKey(node) }))
  keyed.sort((a, b) => compareKeys(a.key, b.key))
  return { kind: Kind.DOCUMENT, definitions: keyed.map(({ node }) => node) }
}

type OrderKey = readonly [rank: number, name: string, text: string]

function orderKey(node: DefinitionNode): OrderKey {
  const name = 'name' in node ? (node.name?.value ?? '') : ''
  if (node.kind === Kind.SCHEMA_DEFINITION) return [0, '', '']
  if (node.kind === Kind.SCHEMA_EXTENSION) return [1, '', textOf(node)]
  if (node.kind.endsWith('Extension')) return [3, name, textOf(node)]
  return [2, name, '']
}

function compareKeys(a: OrderKey, b: OrderKey): number {
  for (const [index, part] of a.entries()) {
    const other = b[index]!
    if (part !== other) return part < other ? -1 : 1
  }
  return 0
}

/** One text with the definitions in this order, as they stand in their files. Comments between definitions are left out. */
export function joinDefinitions({ definitions }: DocumentNode): string {
  return definitions.map((node) => `${textOf(node)}\n`).join('\n')
}

function textOf({ loc }: DefinitionNode): string {
  return loc === undefined ? '' : loc.source.body.slice(loc.start, loc.end)
}
