// Renders the OpenAPI document as an HTML page that works without JavaScript. All text of the schema file is escaped
// (decision 8).

import { encodeHtml } from '#base'
import { randomBytes } from '#base/time'
import type {
  DocumentView,
  MediaView,
  OperationView,
  ParameterView,
  ResponseView,
  SchemaView,
} from './document-view.ts'
import type { ExampleOperation } from './example-requests.ts'
import { button, code, encodeText, prose, resolve, tableOf } from './html.ts'
import { schemaRows, typeOf } from './schema-html.ts'

export interface DocsPage {
  /** The page, with a placeholder for each example. */
  html: string
  /** What the examples are for, in the order of their placeholders. */
  examples: ExampleOperation[]
}

/** A text that nobody can write into a schema file. */
const placeholder = randomBytes(16).toString('hex')

/** The page with its examples. */
export async function fillExamples(
  { html, examples }: DocsPage,
  print: (example: ExampleOperation) => Promise<string>,
): Promise<string> {
  const commands: string[] = []
  for (const example of examples) commands.push(await print(example)) // one by one: a page takes no more than other requests
  let at = 0
  return html.replaceAll(placeholder, () => encodeText(commands[at++]!))
}

export function docsPage(text: string): DocsPage {
  const document = JSON.parse(text) as DocumentView
  const { info, tags } = document
  const sections = tags.map((tag) => ({ ...tag, operations: operationsOf(document, tag.name) }))
  const shared = sharedParameters(
    sections.flatMap(({ operations }) => operations),
    document,
  )
  const shown: ShownParts = { filters: new Map(), examples: new Set(), aboutLists: new Set() }
  const examples: ExampleOperation[] = []
  const html = `<!doctype html>
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
<h2><a href="#parameters">Parameters</a></h2>
<h2><a href="#errors">Errors</a></h2>
<h2><a href="#schemas">Schemas</a></h2>
</nav>
<main id="top">
<h1>${encodeHtml(info.title)}</h1>
${prose(info.description)}
<p class="facts">Version ${code(info.version)} · <a href="openapi.json">openapi.json</a></p>
${tokenHelp(document)}
${sections.map(({ name, description, operations }) => section(name, description, operations, shared, shown, examples, document)).join('\n')}
${parameterSection(shared)}
${errorSection(document)}
${schemas(document)}
</main>
</html>
`
  return { html, examples }
}

/** The commands take the token from the shell, so that they run as they are printed. */
function tokenHelp({ paths }: DocumentView): string {
  const sign = '/tokens' in paths ? ' of <a href="#createToken">POST /tokens</a>' : ' of <code>twain token</code>'
  return `<p>The commands succeed as they are printed, for a viewer who may run them. Some need a token${sign}: <code>export TOKEN=…</code>.
<label id="viewer" hidden>Show them for the viewer of this token: <input type="password" autocomplete="off" spellcheck="false"></label></p>`
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
  shared: SharedParameters,
  shown: ShownParts,
  examples: ExampleOperation[],
  document: DocumentView,
): string {
  return `<section id="tag-${encodeHtml(name)}"><h2>${encodeHtml(name)}</h2>
${prose(description)}
${operations.map((operation) => operationHtml(operation, shown, shared, examples, document)).join('\n')}
</section>`
}

/** What the page has shown already. */
interface ShownParts {
  /** The operation that shows a table of filters, by the table: others link to it. */
  filters: Map<string, PageOperation>
  examples: Set<string>
  /** Paragraphs of the lists that show a table of filters. */
  aboutLists: Set<string>
}

function operationHtml(
  page: PageOperation,
  shown: ShownParts,
  shared: SharedParameters,
  examples: ExampleOperation[],
  document: DocumentView,
): string {
  const { path, method, operation, parameters } = page
  if (isRedirect(operation)) return redirectHtml(page)
  const { operationId, summary, description, security, requestBody, deprecated } = operation
  const tokens = (security ?? []).map(({ bearer }) => bearer)
  const needsToken = tokens.length > 0 && tokens.every((roles) => roles !== undefined)
  const filters = parameters.filter((parameter) => parameter.in === 'query' && isFilter(parameter))
  const words = parameters.filter((parameter) => !filters.includes(parameter))
  const body = exampleOf(requestBody?.content, document)
  examples.push({ method, path, parameters, body, needsToken, isStream: isStream(operation) })
  return `<details class="operation" id="${encodeHtml(operationId)}">
<summary>${badge(method)} ${code(path)} <span>${encodeHtml(summary)}${deprecated ? ' <b class="old">deprecated</b>' : ''}</span></summary>
${prose(withoutShown(description, filters, shown, document))}${needsToken ? `<p class="closed">${neededToken(tokens)}</p>` : ''}
${copyable(placeholder)}
${words.length === 0 ? '' : `<h3>Parameters</h3>${parametersHtml(words, shared, document)}`}
${filters.length === 0 ? '' : `<h3>Filters</h3>${filtersHtml(filters, page, shown.filters, document)}`}
${requestBody === undefined ? '' : bodyHtml(requestBody.content, document)}
<h3>Responses</h3>
${responsesHtml(operation, shown.examples, document)}
</details>`
}

/** A list that links to the filters of another does not repeat what that one says about filters. */
function withoutShown(
  description: string | undefined,
  filters: readonly ParameterView[],
  { filters: tables, aboutLists }: ShownParts,
  document: DocumentView,
): string | undefined {
  if (filters.length === 0 || description === undefined) return description
  const paragraphs = description.split('\n\n')
  if (tables.has(filterTable(filters, document))) return paragraphs.filter((one) => !aboutLists.has(one)).join('\n\n')
  for (const one of paragraphs) aboutLists.add(one)
  return description
}

/** Whether the operation answers with nothing but events. */
function isStream({ responses }: OperationView): boolean {
  const types = Object.keys(responses['200']?.content ?? {})
  return types.length > 0 && types.every((type) => type === 'text/event-stream')
}

/** A previous path. */
function isRedirect({ responses }: OperationView): boolean {
  return '301' in responses || '308' in responses
}

function redirectHtml({ path, method, operation: { operationId, summary, description } }: PageOperation): string {
  return `<details class="operation" id="${encodeHtml(operationId)}">
<summary>${badge(method)} ${code(path)} <span>${encodeHtml(summary)} <b class="old">deprecated</b></span></summary>
${prose(description)}
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
    'groupBy',
    'timeZone',
    'sort',
    'fields',
    'where',
    'query',
    'variables',
    'operationName',
  ].includes(name)
}

/** Parameters that several operations have, by their row: they stand in a section of their own. */
type SharedParameters = ReadonlyMap<string, { name: string; row: string[] }>

const minShared = 4

function sharedParameters(operations: readonly PageOperation[], document: DocumentView): SharedParameters {
  const uses = new Map<string, { count: number; name: string; row: string[] }>()
  for (const { parameters } of operations) {
    for (const parameter of parameters) {
      if (parameter.in === 'query' && isFilter(parameter)) continue
      const row = parameterRow(parameter, document)
      const key = row.join('\n')
      uses.set(key, { count: (uses.get(key)?.count ?? 0) + 1, name: parameter.name, row })
    }
  }
  const often = [...uses].filter(([, { count }]) => count >= minShared)
  return new Map(often)
}

function parametersHtml(
  parameters: readonly ParameterView[],
  shared: SharedParameters,
  document: DocumentView,
): string {
  const rows = parameters.map((one) => parameterRow(one, document))
  const own = rows.filter((row) => !shared.has(row.join('\n')))
  const names = rows.flatMap((row) => shared.get(row.join('\n'))?.name ?? [])
  const link = names.length === 0 ? '' : `<p><a href="#parameters">Shared</a>: ${code(names.join(', '))}</p>`
  return own.length === 0 ? link : tableOf(own) + link
}

function parameterSection(shared: SharedParameters): string {
  const rows = [...shared.values()].map(({ row }) => row)
  return `<section id="parameters"><h2>Parameters</h2>\n<p>Those of several operations.</p>\n${tableOf(rows)}\n</section>`
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

function filtersHtml(
  filters: readonly ParameterView[],
  page: PageOperation,
  shown: ShownParts['filters'],
  document: DocumentView,
): string {
  const table = filterTable(filters, document)
  const before = shown.get(table)
  if (before === undefined) {
    shown.set(table, page)
    return table
  }
  const { operation, method, path } = before
  return `<p>Those of <a href="#${encodeHtml(operation.operationId)}">${encodeHtml(`${method} ${path}`)}</a>.</p>`
}

/** One row for the fields that have the same type and operators. */
function filterTable(filters: readonly ParameterView[], document: DocumentView): string {
  const fields = new Map<string, { operators: string[]; type: SchemaView; deprecated: boolean }>()
  for (const filter of filters) {
    const [, path = '', operator = ''] = /^([^[]*)(\[.*\])?$/.exec(filter.name) ?? []
    const field = fields.get(path) ?? { operators: [], type: schemaOf(filter), deprecated: filter.deprecated === true }
    field.operators.push(operator === '' ? '=' : operator)
    fields.set(path, field)
  }
  const rows = new Map<string, { names: string[]; cells: string[] }>()
  for (const [path, { operators, type, deprecated }] of fields) {
    const cells = [typeOf(type, document), code(operators.join(' '))]
    const key = cells.join('\n')
    const row = rows.get(key) ?? { names: [], cells }
    row.names.push(`${code(path)}${deprecated ? ' <b class="old">deprecated</b>' : ''}`)
    rows.set(key, row)
  }
  return tableOf([...rows.values()].map(({ names, cells }) => [names.join(' '), ...cells]))
}

function bodyHtml(content: Record<string, MediaView>, document: DocumentView): string {
  const paragraphs = mediaLines(content, document).map((line) => `<p>${line}</p>`)
  const [{ schema = {} } = {}] = Object.values(content)
  const first = schema.oneOf?.[0] ?? schema
  return `<h3>Body</h3>${paragraphs.join('')}
${first.$ref === undefined ? schemaRows(first, document) : ''}`
}

/** Media types with the same schema share a line. */
function mediaLines(content: Record<string, MediaView>, document: DocumentView): string[] {
  const lines = new Map<string, string[]>()
  for (const [type, { schema = {} }] of Object.entries(content)) {
    const bodyType = typeOf(schema, document)
    lines.set(bodyType, [...(lines.get(bodyType) ?? []), type])
  }
  return [...lines].map(([bodyType, types]) => `${code(types.join(', '))}: ${bodyType}`)
}

/** The errors and 304 are the same for all operations: they have a section of their own, and each operation lists their statuses. A
 *  representation is shown once. */
function responsesHtml({ responses }: OperationView, shownExamples: Set<string>, document: DocumentView): string {
  const own = Object.entries(responses).filter(([status, one]) => !isError(one) && status !== '304')
  const rows = own.map(([status, one]) => responseRow(status, resolve(one, document), document))
  const others = Object.entries(responses).flatMap(([status, one]) => (own.some(([, o]) => o === one) ? [] : [status]))
  const [example] = own.map(([, one]) => exampleOf(resolve(one, document).content, document))
  const exampleHtml = example === undefined ? '' : copyable(JSON.stringify(example, null, 2))
  // A list shows how a row of it looks.
  const row = JSON.stringify(Array.isArray(example) ? example[0] : example)
  const isNew = !shownExamples.has(row)
  shownExamples.add(row)
  const link = others.length === 0 ? '' : `<p><a href="#errors">Others</a>: ${code(others.join(' '))}</p>`
  return `${tableOf(rows)}${link}${isNew ? exampleHtml : ''}`
}

function responseRow(
  status: string,
  { description, headers, content }: ResponseView,
  document: DocumentView,
): string[] {
  const names = Object.keys(headers ?? {}).filter((name) => !commonHeaders.includes(name))
  return [
    `<b class="status s${status.charAt(0)}">${encodeHtml(status)}</b>`,
    prose(description) + (names.length === 0 ? '' : `<p>Headers: ${code(names.join(', '))}</p>`),
    mediaLines(content ?? {}, document).join('<br>'),
  ]
}

/** Every response may have them. */
const commonHeaders: readonly string[] = ['RateLimit', 'RateLimit-Policy', 'Server-Timing', 'X-Request-Id']

/** Only errors are shared responses. */
function isError(one: object): boolean {
  return '$ref' in one
}

function errorSection(document: DocumentView): string {
  const shared = Object.entries((document.components.responses ?? {}) as Record<string, ResponseView>)
  const rows = shared.map(([name, one]) => responseRow(name.slice(name.lastIndexOf('.') + 1), one, document))
  const common = code(commonHeaders.join(', '))
  return `<section id="errors"><h2>Errors</h2>\n<p>304: the client has the current representation (<code>If-None-Match</code>). Every response may have the headers ${common}.</p>\n${tableOf(rows)}\n</section>`
}

function exampleOf(content: Record<string, MediaView> | undefined, document: DocumentView): unknown {
  const [media] = Object.values(content ?? {})
  const [first] = Object.values(media?.examples ?? {})
  return media?.example ?? (first === undefined ? undefined : resolve(first, document).value)
}

/** Without the schemas of filters and pages. */
function schemas(document: DocumentView): string {
  const shown = Object.entries(document.components.schemas).filter(
    ([name]) => !/^filter\.|\.(where|list|choice|connection|group|groupKey|groupExtremes)$/.test(name),
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
  return `<div class="copy"><pre>${encodeText(text)}</pre>${button('Copy')}</div>`
}
