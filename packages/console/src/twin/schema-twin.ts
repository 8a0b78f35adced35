// The GraphQL operations that do the same as the requests of the schema pages.

export interface GraphqlTwin {
  query: string
  variables: Record<string, unknown>
}

const place = 'file line'
const mistakes = `mistakes { ${place} column message hint }`

const served: Readonly<Record<string, string>> = {
  '/docs/schema': `types { name kind path description memberOf ${place} }
    fields { of name kind type to inverse unique description deprecated start ${place} }
    rules { of field rule ${place} }
    transitions { of field from to who rule ${place} }
    dependencies { of field by what ${place} }`,
  '/docs/schema/files': `watched files { name text } pending { reason files { name text } ${mistakes} }`,
  '/docs/contract': 'files { name text } since uses { path client requested returned }',
}

/** Null: the path is another one. */
export function schemaTwin(path: string, input: unknown): GraphqlTwin | null {
  const selection = served[path]
  if (selection !== undefined) return { query: `{\n  servedSchema {\n    ${selection}\n  }\n}`, variables: {} }
  if (path !== '/docs/schema/changes') return null
  return {
    query: `query ($text: String!, $file: String) {\n  schemaChanges(text: $text, file: $file) {\n    verdict differences { verdict path message affects instead rows used }\n    ${mistakes}\n  }\n}`,
    variables: input as Record<string, unknown>,
  }
}
