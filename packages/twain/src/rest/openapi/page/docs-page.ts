// Renders the OpenAPI document as an HTML page that works without JavaScript. All text of the schema file is escaped
// (decision 8).

import { encodeHtml } from '#base'
import { exampleId } from '#plan/explain'
import type { DocumentView, MediaView, OperationView, ParameterView, SchemaView } from './document-view.ts'
import { button, code, prose, resolve, tableOf } from './html.ts'
import { schemaRows, typeOf } from './schema-html.ts'

export function docsPage(text: string): string {
  const document = JSON.parse(text) as DocumentView
  const { info, tags } = document
  const sections = tags.map((tag) => ({ ...tag, operations: operationsOf(document, tag.name) }))
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${encodeHtml(info.title)}</title>
<link rel="icon" href="favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="docs/page.css">
<script src="docs/page.js" defer></script>
<nav>
<a class="title" href="#top">${encodeHtml(info.title)}</a>
<input type="search" id="find" placeholder="Find a path" aria-label="Find a path" hidden>
${sections.map(({ name, operations }) => navigation(name, operations)).join('\n')}
<h2><a href="#schemas">Schemas</a></h2>
</nav>
<main id="top">
<h1>${encodeHtml(info.title)}</h1>
${prose(info.description)}
<p class="facts">Version ${code(info.version)} · <a href="openapi.json">openapi.json</a></p>
${sections.map(({ name, description, operations }) => section(name, description, operations, document)).join('\n')}
${schemas(document)}
</main>
</html>
`
}

interface PageOperation {
  path: string
  method: string
  operation: OperationView
  parameters: ParameterView[]
}

function operationsOf(document: DocumentView, tag: string): PageOperation[] {
  return Object.entries(document.paths).flatMap(([path, { parameters: shared = [], ...methods }]) =>
    Object.entries(methods as Record<string, OperationView>)
      .filter(([, { tags }]) => tags.includes(tag))
      .map(([method, operation]) => ({
        path,
        method: method.toUpperCase(),
        operation,
        parameters: [...shared, ...(operation.parameters ?? [])].map((one) => resolve(one, document)),
      })),
  )
}

function navigation(name: string, operations: readonly PageOperation[]): string {
  const items = operations.map(
    ({ path, method, operation }) =>
      `<li><a href="#${encodeHtml(operation.operationId)}">${badge(method)} ${encodeHtml(path)}</a></li>`,
  )
  return `<h2><a href="#tag-${encodeHtml(name)}">${encodeHtml(name)}</a></h2>\n<ul>${items.join('')}</ul>`
}

function section(
  name: string,
  description: string,
  operations: readonly PageOperation[],
  document: DocumentView,
): string {
  return `<section id="tag-${encodeHtml(name)}"><h2>${encodeHtml(name)}</h2>
${prose(description)}
${operations.map((operation) => operationHtml(operation, document)).join('\n')}
</section>`
}

function operationHtml({ path, method, operation, parameters }: PageOperation, document: DocumentView): string {
  const { operationId, summary, description, security, requestBody, deprecated } = operation
  const tokens = (security ?? []).map(({ bearer }) => bearer)
  const needsToken = tokens.length > 0 && tokens.every((roles) => roles !== undefined)
  const filters = parameters.filter((parameter) => parameter.in === 'query' && isFilter(parameter))
  const words = parameters.filter((parameter) => !filters.includes(parameter))
  return `<details class="operation" id="${encodeHtml(operationId)}">
<summary>${badge(method)} ${code(path)} <span>${encodeHtml(summary)}${deprecated ? ' <b class="old">deprecated</b>' : ''}</span></summary>
${prose(description)}
${needsToken ? `<p class="closed">${neededToken(tokens)}</p>` : ''}
${copyable(curlCommand({ method, path, parameters, body: exampleOf(requestBody?.content, document), needsToken }))}
${words.length === 0 ? '' : `<h4>Parameters</h4>${tableOf(words.map((one) => parameterRow(one, document)))}`}
${filters.length === 0 ? '' : `<h4>Filters</h4>${filterTable(filters, document)}`}
${requestBody === undefined ? '' : bodyHtml(requestBody.content, document)}
<h4>Responses</h4>
${responsesHtml(operation, document)}
</details>`
}

/** Each list has the roles that a token needs; one of the lists is enough. */
function neededToken(tokens: readonly (readonly string[] | undefined)[]): string {
  if (tokens.some((roles) => roles?.length === 0)) return 'Needs a token.'
  const roles = tokens.map((list) => list!.map(code).join(' and '))
  return `Needs a token with the role ${[...new Set(roles)].join(' or ')}.`
}

/** Reserved parameters have a row each with a description; filters are grouped by field. */
function isFilter({ name }: ParameterView): boolean {
  return ![
    'limit',
    'offset',
    'first',
    'after',
    'sort',
    'fields',
    'where',
    'query',
    'variables',
    'operationName',
  ].includes(name)
}

function parameterRow(parameter: ParameterView, document: DocumentView): string[] {
  const { name, required, deprecated, description, in: place } = parameter
  const marks = [place === 'query' ? '' : place, required ? 'required' : ''].filter((mark) => mark !== '').join(', ')
  return [
    `${code(name)}${deprecated ? ' <b class="old">deprecated</b>' : ''}${marks === '' ? '' : ` <i>${marks}</i>`}`,
    typeOf(schemaOf(parameter), document),
    prose(description),
  ]
}

function schemaOf({ schema, content }: ParameterView): SchemaView {
  return schema ?? Object.values(content ?? {})[0]?.schema ?? {}
}

/** One row for each field, with its operators. */
function filterTable(filters: readonly ParameterView[], document: DocumentView): string {
  const fields = new Map<string, { operators: string[]; type: SchemaView; deprecated: boolean }>()
  for (const filter of filters) {
    const [, path = '', operator = ''] = /^([^[]*)(\[.*\])?$/.exec(filter.name) ?? []
    const field = fields.get(path) ?? { operators: [], type: schemaOf(filter), deprecated: filter.deprecated === true }
    field.operators.push(operator === '' ? code('=') : code(operator))
    fields.set(path, field)
  }
  return tableOf(
    [...fields].map(([path, { operators, type, deprecated }]) => [
      `${code(path)}${deprecated ? ' <b class="old">deprecated</b>' : ''}`,
      typeOf(type, document),
      operators.join(' '),
    ]),
  )
}

function bodyHtml(content: Record<string, MediaView>, document: DocumentView): string {
  const bodies = new Map<string, string[]>() // media types with the same schema share a paragraph
  for (const [type, { schema = {} }] of Object.entries(content)) {
    const bodyType = typeOf(schema, document)
    bodies.set(bodyType, [...(bodies.get(bodyType) ?? []), code(type)])
  }
  const paragraphs = [...bodies].map(([bodyType, types]) => `<p>${types.join(' or ')}: ${bodyType}</p>`)
  const [{ schema = {} } = {}] = Object.values(content)
  const example = exampleOf(content, document)
  return `<h4>Body</h4>${paragraphs.join('')}
${schemaRows(schema.oneOf?.[0] ?? schema, document)}
${example === undefined ? '' : copyable(JSON.stringify(example, null, 2))}`
}

function responsesHtml({ responses }: OperationView, document: DocumentView): string {
  const rows = Object.entries(responses).map(([status, one]) => {
    const { description, headers, content } = resolve(one, document)
    const names = Object.keys(headers ?? {})
      .map(code)
      .join(' ')
    const media = Object.entries(content ?? {}).map(
      ([type, { schema }]) => `${code(type)} ${typeOf(schema ?? {}, document)}`,
    )
    return [
      `<b class="status s${status.charAt(0)}">${encodeHtml(status)}</b>`,
      prose(description) + (names === '' ? '' : `<p>Headers: ${names}</p>`),
      [...new Set(media)].join('<br>'),
    ]
  })
  const [example] = Object.entries(responses).map(([, one]) => exampleOf(resolve(one, document).content, document))
  return `${tableOf(rows)}${example === undefined ? '' : copyable(JSON.stringify(example, null, 2))}`
}

function exampleOf(content: Record<string, MediaView> | undefined, document: DocumentView): unknown {
  const [media] = Object.values(content ?? {})
  const [first] = Object.values(media?.examples ?? {})
  return media?.example ?? (first === undefined ? undefined : resolve(first, document).value)
}

/** Without the schemas of filters and pages. */
function schemas(document: DocumentView): string {
  const shown = Object.entries(document.components.schemas).filter(
    ([name]) => !/^filter\.|\.(where|list|choice|connection)$/.test(name),
  )
  const items = shown.map(
    ([name, schema]) =>
      `<details class="schema" id="schema-${encodeHtml(name)}"><summary>${code(name)}</summary>${prose(schema.description)}${schemaRows(schema, document)}</details>`,
  )
  return `<section id="schemas"><h2>Schemas</h2>\n${items.join('\n')}\n</section>`
}

function badge(method: string): string {
  return `<b class="method ${encodeHtml(method.toLowerCase())}">${encodeHtml(method)}</b>`
}

function copyable(text: string): string {
  return `<div class="copy"><pre>${encodeHtml(text)}</pre>${button('Copy')}</div>`
}

interface CurlRequest {
  method: string
  path: string
  parameters: readonly ParameterView[]
  body: unknown
  needsToken: boolean
}

/** The address of `twain dev`; page.js replaces it by that of the page. */
const origin = 'http://localhost:4000'

/** A curl command for an operation, to copy. */
export function curlCommand({ method, path, parameters, body, needsToken }: CurlRequest): string {
  const query = parameters.filter(
    ({ name, in: place, required }) => place === 'query' && (required || name === 'limit'),
  )
  const search = query.map(({ name, example }) => `${name}=${encodeURIComponent(String(example ?? 3))}`).join('&')
  const target = path.replace(/\{\w+\}/g, exampleId) + (search === '' ? '' : `?${search}`)
  const parts = [`curl ${quoted(`${origin}${target}`)}`]
  if (method !== 'GET' && method !== 'POST') parts.push(`-X ${method}`)
  if (needsToken) parts.push(`-H ${quoted('authorization: Bearer …')}`)
  if (body !== undefined) parts.push(`--json ${quoted(JSON.stringify(body))}`)
  return parts.join(' \\\n  ')
}

/** Quotes for a POSIX shell: only the single quote is special. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
