// The page for browsers at `/`, without scripts: links to the console and the REST reference, the resources with their paths, the custom
// operations, and how to sign in.

import { createHash } from 'node:crypto'
import { encodeHtml as encode } from '#base'
import type { Abstract, CustomOperation, Model, Resource } from '#model'
import { isRequiredInput } from '#plan/build'
import { accessMatrix } from '#plan/explain'

/** The pages of the server that are served, and whether they can be of use. */
export interface ServedPages {
  hasConsole: boolean
  /** GraphQL refuses every document that is not a trusted one (`graphql.trustedDocumentsOnly`). */
  isTrustedOnly: boolean
}

export interface HomePageOptions extends ServedPages {
  /** `http://127.0.0.1:4000`, with the base path. */
  origin: string
  /** Empty: the APIs are at the root. */
  basePath: string
}

const style = `
:root { color-scheme: light dark; --text: light-dark(#1b1f24, #e6e9ee); --soft: light-dark(#57606a, #9aa4b2); --back: light-dark(#fff, #12151a); --box: light-dark(#f4f6f9, #1c2128); --line: light-dark(#d5dbe2, #333b46); --link: light-dark(#0b57d0, #8ab4f8) }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 62rem; padding: 2.5rem 1.25rem 4rem; font: 16px/1.6 system-ui, sans-serif; color: var(--text); background: var(--back) }
header { display: flex; gap: 1rem; align-items: start }
header img { width: 3rem; height: 3rem; flex: none; margin-top: .2rem }
h1 { margin: 0; font-size: 1.9rem; line-height: 1.25 }
header p { margin: .3rem 0 0; color: var(--soft) }
h2 { margin: 2.5rem 0 .75rem; font-size: 1.2rem }
a { color: var(--link) }
a:focus-visible { outline: 2px solid var(--link); outline-offset: 2px }
.links { display: grid; grid-template-columns: repeat(auto-fit, minmax(14rem, 1fr)); gap: .75rem; margin: 1.75rem 0 0; padding: 0; list-style: none }
.links a { display: block; height: 100%; padding: .8rem 1rem; border: 1px solid var(--line); border-radius: .6rem; background: var(--box); text-decoration: none; font-weight: 600 }
.links a:hover { border-color: var(--link) }
.links span { display: block; font-weight: 400; font-size: .9rem; color: var(--soft) }
code, pre { font: .87rem/1.55 ui-monospace, monospace }
pre { margin: .6rem 0; padding: .75rem 1rem; border: 1px solid var(--line); border-radius: .6rem; background: var(--box); white-space: pre-wrap; overflow-wrap: anywhere }
table { width: 100%; border-collapse: collapse; table-layout: fixed }
thead th { width: 24% }
thead th:first-child { width: 46% }
th, td { padding: .45rem 1rem .45rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; overflow-wrap: anywhere }
thead th { font-size: .85rem; color: var(--soft) }
tbody th { font-weight: 600 }
tbody th span { display: block; font-weight: 400; font-size: .9rem; color: var(--soft) }
@media (max-width: 40rem) {
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
  tr { display: block; padding: .6rem 0; border-bottom: 1px solid var(--line) }
  tbody th, td { display: block; padding: .1rem 0; border: 0 }
}
`

/** The one style sheet that the page may have. */
export const stylePolicy = `'sha256-${createHash('sha256').update(style).digest('base64')}'`

export function homePageHtml(model: Model, options: HomePageOptions): string {
  const { name, description } = model.service
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${encode(name)}</title>
<link rel="icon" href="${options.basePath}/favicon.svg" type="image/svg+xml">
<style>${style}</style>
</head>
<body>
<header><img src="${options.basePath}/favicon.svg" alt="" width="48" height="48"><div>
<h1>${encode(name)}</h1>
${description === null ? '' : `<p>${encode(description)}</p>`}
</div></header>
<main>
${links(model, options)}
${resources(model, options)}
${operations(model, options)}
${signIn(model, options)}
${commands(model, options)}
</main>
</body>
</html>
`
}

function links(model: Model, options: HomePageOptions): string {
  const { basePath, hasConsole } = options
  const all = [
    ...(hasConsole ? [[`${basePath}/console`, 'Console', 'See and change rows.']] : []),
    ...(hasQueryPage(options) ? [[basePath + queryPagePath(model), 'GraphQL', 'Write queries in the browser.']] : []),
    [`${basePath}/docs`, 'REST reference', 'Every path, with examples.'],
    [`${basePath}/openapi.json`, 'OpenAPI', 'The same for tools, as JSON.'],
    ...(model.account === null ? [] : [['#sign-in', 'Sign in', 'Get a token for your requests.']]),
  ] as const
  const items = all.map(([path, title, text]) => `<li><a href="${path}">${title}<span>${text}</span></a></li>`)
  return `<nav aria-label="Tools"><ul class="links">${items.join('')}</ul></nav>`
}

/** Whether to lead anybody to the query page. */
export function hasQueryPage({ hasConsole, isTrustedOnly }: ServedPages): boolean {
  return hasConsole && !isTrustedOnly
}

/** A collection may have the path `query`; no collection has a path with a plus. */
export function queryPagePath({ resources, views, abstracts }: Model): string {
  const isTaken = [...resources, ...views, ...abstracts].some(({ path }) => path === 'query')
  return isTaken ? '/console/+query' : '/console/query'
}

function signIn(model: Model, { origin, basePath, hasConsole }: HomePageOptions): string {
  const { account } = model
  if (account === null) return ''
  const signUp = signUpFields(model)
  const login = account.login.name
  const token = `mutation { createToken(input: {${login}: "…", password: "…"}) { token refreshToken expiresAt } }`
  const field = hasConsole ? `, or sign in to the <a href="${basePath}/console">console</a>` : ''
  return `<section aria-labelledby="sign-in"><h2 id="sign-in">Sign in</h2>
${signUp === null ? '' : `<p>Create an account:</p>${pre(curl(`${origin}/${account.resource.path}`, signUp))}`}
<p>Get a token, over REST or GraphQL:</p>
${pre(curl(`${origin}/tokens`, [login, 'password']))}
${pre(token)}
<p>Send it with every request as <code>authorization: Bearer TOKEN</code>${field}.</p></section>`
}

function resources(model: Model, { basePath }: HomePageOptions): string {
  const rows = [...model.resources, ...model.views, ...model.abstracts].map((type) => {
    const path = encode(`${basePath}/${type.path}`)
    return `<tr><th scope="row">${title(type)}</th>
<td><a href="${path}"><code>${path}</code></a></td>
<td><code>${encode(graphqlNames(type))}</code></td></tr>`
  })
  return `<section aria-labelledby="resources"><h2 id="resources">Resources</h2>
${table(['Type', 'REST', 'GraphQL'], rows)}</section>`
}

function graphqlNames({ kind, single, list }: Resource | Abstract): string {
  return kind === 'abstract' ? list : `${list}, ${single}`
}

function operations(model: Model, { basePath }: HomePageOptions): string {
  if (model.operations.length === 0) return ''
  const rows = model.operations.map((operation) => {
    const { root, name, args } = operation
    const parameters = args.length === 0 ? '' : `(${args.map((argument) => argument.name).join(', ')})`
    return `<tr><th scope="row">${title(operation)}</th>
<td><code>${encode(methodAndPath(operation, basePath))}</code></td>
<td><code>${root.toLowerCase()} ${encode(`${name}${parameters}`)}</code></td></tr>`
  })
  return `<section aria-labelledby="operations"><h2 id="operations">Custom operations</h2>
${table(['Operation', 'REST', 'GraphQL'], rows)}</section>`
}

/** `POST /invitations`. */
export function methodAndPath({ root, path }: CustomOperation, basePath: string): string {
  return `${root === 'Mutation' ? 'POST' : 'GET'} ${basePath}/${path}`
}

function commands(model: Model, options: HomePageOptions): string {
  const { origin, isTrustedOnly } = options
  const [first] = [...model.resources, ...model.abstracts]
  if (first === undefined) return ''
  return `<section aria-labelledby="try"><h2 id="try">Try it</h2>
${pre(`curl '${origin}/${first.path}?limit=3'`)}
${isTrustedOnly ? '' : documentCommands(`{ ${first.list}(limit: 3) { __typename } }`, model, options)}</section>`
}

function documentCommands(query: string, model: Model, options: HomePageOptions): string {
  const { origin, basePath } = options
  const page = hasQueryPage(options) ? queryPagePath(model) : '/graphql'
  return `${pre(`curl ${origin}/graphql --json '${JSON.stringify({ query })}'`)}
<p>Or here: <a href="${basePath}${page}?query=${encodeURIComponent(query)}"><code>${encode(query)}</code></a></p>`
}

/** The name, and below it the first paragraph of the description. */
function title({ name, description }: { name: string; description: string | null }): string {
  if (description === null) return encode(name)
  const [paragraph] = description.trim().split(/\n\s*\n/)
  return `${encode(name)}<span>${encode(paragraph!).replace(/`([^`]+)`/g, '<code>$1</code>')}</span>`
}

function table(heads: string[], rows: string[]): string {
  const head = heads.map((text) => `<th scope="col">${text}</th>`).join('')
  return `<table><thead><tr>${head}</tr></thead><tbody>\n${rows.join('\n')}\n</tbody></table>`
}

function pre(text: string): string {
  return `<pre>${encode(text)}</pre>`
}

function curl(address: string, members: string[]): string {
  return `curl ${address} --json '{${members.map((name) => `"${name}": "…"`).join(', ')}}'`
}

/** The required fields of a new account. Null where there is no account type, or no rule could let an anonymous viewer create an account. */
export function signUpFields(model: Model): string[] | null {
  const { account } = model
  if (account === null) return null
  const rows = accessMatrix(model, [{ name: 'nobody', signedIn: false, roles: [] }])
  const maySignUp = rows.some(
    ({ of, field, action, cells }) =>
      of === account.resource && field === null && action === 'CREATE' && cells[0]?.verdict.is !== 'never',
  )
  if (!maySignUp) return null
  return [...[...account.resource.fields.values()].filter(isRequiredInput).map(({ name }) => name), 'password']
}
