// Where something stands in the schema, for people: `schema/posts.graphql:12`.

import { relative } from 'node:path'
import type { SourceLocation } from '#model'

/** From the working directory, so that terminals and editors can open it; as it was given, if it is not below. */
export function describePlace({ place: { file, line } }: { readonly place: SourceLocation }): string {
  return `${shownFile(file)}:${line}`
}

/** The path of a schema file, for people. */
export function shownFile(file: string): string {
  const path = relative('', file)
  return path.startsWith('..') ? file : path
}
