// SDL text → syntax tree. A syntax error is a single mistake, since the parser can't continue after it.

import { GraphQLError } from 'graphql/error'
import { type DocumentNode, parse, Source } from 'graphql/language'
import { type MistakeReport, SchemaMistakes } from '../mistakes.ts'

/** Throws SchemaMistakes immediately, unlike the later stages. */
export function parseSdl(sdl: string, { file }: MistakeReport): DocumentNode {
  if (isBlank(sdl)) {
    const hint = 'A type with an id is a resource: type Post { id: ID! title: String! }'
    throw new SchemaMistakes([{ file, line: 1, column: 1, message: 'The file holds no types.', hint }])
  }
  try {
    return parse(new Source(sdl, file))
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error
    const { line, column } = error.locations?.[0] ?? { line: 1, column: 1 }
    const message = `This is not GraphQL: ${error.message.replace(/^Syntax Error: /, '')}`
    throw new SchemaMistakes([{ file, line, column, message, hint: null }])
  }
}

/** Whether the text has only comments, commas and white space, which GraphQL ignores. */
function isBlank(sdl: string): boolean {
  return sdl.replace(/#[^\n\r]*/g, '').replace(/[\s,\uFEFF]/g, '') === ''
}
