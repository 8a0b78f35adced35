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
    ['Errors', errorsPart(model)],
    ['Limits', limitsPart(settings)],
    ['Versioning', versioningPart(model)],
  ]
  const sections = parts.map(([title, text], index) => `## ${index + 1}. ${title}\n\n${text.trimEnd()}\n`)
  return `# ${model.service.name}\n\n${sections.join('\n')}`
}

function servicePart(model: Model): string {
  const { service, resources, abstracts, operations } = model
  const computed = resources.flatMap((of) => [...of.computed.values()].map(({ name }) => `\`${of.name}.${name}\``))
  const names = resources.map(({ name }) => name).join(', ')
  const purpose = inline(service.description)
  const over = abstracts.map(({ name, form }) => `the ${form} ${name}`).join(', ')
  return numbered([
    `Purpose and domain: ${purpose === '' ? `it stores ${names}` : purpose}`.replace(/\.?$/, '.'),
    `It serves ${names} over HTTP by two APIs on the same rows: REST at \`/\`, and GraphQL at \`/graphql\`.`,
    `REST: resources are named by nouns and addressed by URI; representations of rows are JSON and XML, and of collections also NDJSON and CSV; ${systemPaths(model)} are JSON. Requests are stateless; \`Cache-Control\` of a response says whether it may be cached.`,
    `GraphQL: one endpoint, a strongly typed schema, the client chooses what it receives. The server parses a request, validates it against the schema, executes it, and formats the response in the shape of the query.`,
    `The schema file is the single source: both APIs, OpenAPI (\`/openapi.json\`), the documentation (\`/docs\`) and introspection are generated from it.`,
    ...(over === '' ? [] : [`Read-only collections of several types: ${over}.`]),
    ...(operations.length === 0
      ? []
      : [`Custom operations: ${operations.map(({ root, name }) => `\`${root}.${name}\``).join(', ')}.`]),
    ...(computed.length === 0 ? [] : [`Computed by custom code: ${computed.join(', ')}.`]),
    'The server sends no code to clients (no code on demand). Proxies and caches may stand between client and server (layered system).',
  ])
}

/** The requests to the server itself that have no XML. */
function systemPaths({ account, file }: Model): string {
  const paths = [
    ...(account === null ? [] : ['POST /tokens']),
    ...(file === null ? [] : ['POST /files']),
    '/changes',
    '/batch',
  ]
  return paths.map(code).join(', ')
}

function versioningPart(model: Model): string {
  const deprecated = [...deprecationReasons(model)].map(([path, reason]) => [code(path), inline(reason)])
  const renamed = [...model.resources, ...model.abstracts].flatMap(({ path, previousPaths }) =>
    previousPaths.map((previous) => [code(`/${previous}`), code(`/${path}`)]),
  )
  return [
    numbered([
      'Neither API has versions: no path and no header names one. The API evolves in place.',
      'A field is deprecated before it is removed (`@deprecated(reason:)`): introspection, OpenAPI and the documentation show it, and responses to requests that use it have `Deprecation` (RFC 9745), `Sunset` (RFC 8594, if the reason has a date) and `Link: rel="deprecation"`.',
      'Changes are additive: the server does not start with a schema that would break clients of the previous one, and lists the breaking changes; input types only gain optional fields. `twain check --against` finds breaking changes before a release.',
      'A renamed path redirects: 301 for GET and HEAD, 308 for other methods. In GraphQL the previous names stay, deprecated.',
      'Introspection, `/openapi.json` and `/docs` describe the current schema.',
      'Each row has a version: the number in `ETag` and `If-Match`, `_version` and `ifVersion` in GraphQL, `version` in events.',
    ]),
    deprecated.length === 0 ? 'Nothing is deprecated.\n' : table(['Deprecated', 'Reason'], deprecated),
    renamed.length === 0 ? 'No path was renamed.\n' : table(['Previous path', 'Redirects to'], renamed),
  ].join('\n')
}
