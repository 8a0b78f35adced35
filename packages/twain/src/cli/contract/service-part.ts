import type { Model } from '#model'
import { inline, numbered } from './markdown.ts'

export function servicePart({ service, resources, abstracts, operations }: Model): string {
  const names = resources.map(({ name }) => name).join(', ')
  const purpose = inline(service.description)
  const over = abstracts.map(({ name, form }) => `the ${form} ${name}`).join(', ')
  return numbered([
    `Purpose and domain: ${purpose === '' ? `it keeps ${names}` : purpose}`.replace(/\.?$/, '.'),
    `It exposes ${names} over HTTP in two styles, over the same rows: resources by REST at \`/\`, and GraphQL at \`/graphql\`.`,
    `REST: resources are named by nouns and addressed by URI; representations are JSON and XML, of collections NDJSON and CSV too. Requests are stateless, answers say whether they may be cached.`,
    `GraphQL: one endpoint, a strongly typed schema, the client chooses what it receives. A request is parsed, validated against the schema, executed, and formatted in the shape of its query, in this order.`,
    `The schema file is the single contract: both styles, OpenAPI (\`/openapi.json\`), the documentation (\`/docs\`) and introspection are made of it.`,
    ...(over === '' ? [] : [`Collections over several types, which can be read only: ${over}.`]),
    ...(operations.length === 0
      ? []
      : [`Answered by code of its own: ${operations.map(({ root, name }) => `\`${root}.${name}\``).join(', ')}.`]),
    'No code is sent to clients (code on demand is not used). Proxies and caches may stand between (layered system).',
  ])
}
