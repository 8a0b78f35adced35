// The schema of a command that names none: the file `schema.graphql`, else the folder `schema`.

import { existsSync } from 'node:fs'
import { isSchemaFolder } from '#main'

export function defaultSchema(): string {
  return !existsSync('schema.graphql') && isSchemaFolder('schema') ? 'schema' : 'schema.graphql'
}
