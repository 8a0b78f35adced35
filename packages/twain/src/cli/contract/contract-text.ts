// The API contract of `twain print --contract`, in nine parts. It describes in one sentence what is the
// same for every service; `docs/` has the details.

import type { Model } from '#model'
import { deprecationReasons } from '#plan/explain'
import { authenticationPart } from './authentication-part.ts'
import { endpointsPart } from './endpoints-part.ts'
import { errorsPart } from './errors-part.ts'
import { type ContractOptions, eventsPart, limitsPart } from './events-and-limits.ts'
import { code, inline, numbered, table } from './markdown.ts'
import { resourcesPart } from './resources-part.ts'
import { statesPart } from './states-part.ts'

export async function contractText(model: Model, settings: ContractOptions): Promise<string> {
  const parts: [title: string, text: string][] = [
    ['What the service does', servicePart(model)],
    ['Resources and their fields', resourcesPart(model)],
    ['States and transitions', statesPart(model)],
    ['Endpoints', await endpointsPart(model, settings.limits)],
    ['Authentication', authenticationPart(model, settings.auth)],
    ['Events', eventsPart(model, settings)],
    ['Errors', errorsPart()],
    ['Limits', limitsPart(settings)],
    ['Versioning', versioningPart(model)],
  ]
  const sections = parts.map(([title, text], index) => `## ${index + 1}. ${title}\n\n${text.trimEnd()}\n`)
  return `# ${model.service.name}\n\n${sections.join('\n')}`
}

function servicePart({ service, resources, abstracts, operations }: Model): string {
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

function versioningPart(model: Model): string {
  const deprecated = [...deprecationReasons(model)].map(([path, reason]) => [code(path), inline(reason)])
  const moved = [...model.resources, ...model.abstracts].flatMap(({ path, previousPaths }) =>
    previousPaths.map((former) => [code(`/${former}`), code(`/${path}`)]),
  )
  return [
    numbered([
      'Neither face has version identifiers: no path and no header names a version, and the contract evolves in place.',
      'What is to go is deprecated first (`@deprecated(reason:)`): introspection, OpenAPI and the documentation say so, and answers that have to do with it have `Deprecation` (RFC 9745), `Sunset` (RFC 8594, where the reason has a date) and `Link: rel="deprecation"`.',
      'Changes are additive: a start with a contract that would break clients of the one before is refused with a list; input types gain optional fields only. `twain check --against` says the same beforehand.',
      'A path that has moved leads on: 301 for GET and HEAD, 308 for other methods; in GraphQL the former names stay as deprecated ones.',
      'Introspection, `/openapi.json` and `/docs` tell the capabilities as of now.',
      'Rows have versions of their own: the number in `ETag` and `If-Match`, `_version` and `ifVersion` in GraphQL, `version` in events.',
    ]),
    deprecated.length === 0 ? 'Nothing is deprecated now.\n' : table(['Deprecated now', 'Reason'], deprecated),
    moved.length === 0 ? 'No path has moved.\n' : table(['Former path', 'Leads to'], moved),
  ].join('\n')
}
