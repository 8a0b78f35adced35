// `/openapi.json`, `/docs` with its files (docs/reference/rest.md, R90–R93) and `/docs/errors`: created on first use and cached as
// text. The same for every viewer, but for the examples of `/docs`. Also `/docs/model`, for programs that make pages of the model.

import { readFileSync } from 'node:fs'
import type { Tokens } from '#auth'
import { type Code, catalogue } from '#base'
import {
  errorPages,
  type HttpReply,
  type HttpRequest,
  matchesEntityTag,
  notModified,
  pageTag,
  type Viewer,
} from '#base/http'
import type { Model } from '#model'
import { defaultLimits, type Limits } from '#plan'
import { PlanBuilder } from '#plan/build'
import { representOptions } from '../represent/represent.ts'
import { acceptJson } from '../request/accept.ts'
import { expectNoParameters, expectParameters, parseQuery } from '../request/query-string.ts'
import { allowedMethod } from '../request/route.ts'
import type { OpenapiProfile } from './json-parts.ts'
import type { DocsPage } from './page/docs-page.ts'

const types = {
  '/openapi.json': 'application/json; charset=utf-8',
  '/docs': 'text/html; charset=utf-8',
  '/docs/page.css': 'text/css; charset=utf-8',
  '/docs/page.js': 'text/javascript; charset=utf-8',
} as const

const htmlType = types['/docs']

type ErrorPagePath = typeof errorPages | `${typeof errorPages}/${Code}`

type PagePath = keyof typeof types | ErrorPagePath

const route = { methods: ['GET', 'HEAD', 'OPTIONS'] } as const

/** Only our own files, and nothing may be put around, before or into the page. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

export function isPagePath(path: string): path is PagePath {
  return Object.hasOwn(types, path) || isErrorPage(path)
}

function isErrorPage(path: string): path is ErrorPagePath {
  if (!path.startsWith(errorPages)) return false
  return path === errorPages || Object.hasOwn(catalogue, codeOf(path as ErrorPagePath) ?? '')
}

function codeOf(path: ErrorPagePath): Code | null {
  return path[errorPages.length] === '/' ? (path.slice(errorPages.length + 1) as Code) : null
}

/** What the examples of `/docs` come from. */
export interface ExampleSource {
  /** The parsed body of a GET as this viewer; null if it fails. */
  read(target: string, viewer: Viewer): Promise<unknown>
  /** A hexadecimal number that changes with the data: examples of creates then have new unique values. */
  suffix(): Promise<string>
}

interface CachedPage {
  text: string
  etag: string
}

export class DocumentationPages {
  readonly #model: Model
  readonly #limits: Limits
  readonly #origins: readonly string[]
  readonly #examples: ExampleSource
  /** By path, or by the profile of the document. */
  readonly #cached = new Map<string, CachedPage>()
  #docs: Promise<DocsPage> | null = null

  constructor(model: Model, limits: Limits, origins: readonly string[], examples: ExampleSource) {
    this.#origins = origins
    this.#model = model
    this.#limits = limits
    this.#examples = examples
  }

  async answer(request: HttpRequest, viewer: Viewer): Promise<HttpReply> {
    const path = request.path as PagePath
    if (allowedMethod(request.method, route) === 'OPTIONS') return representOptions(route)
    const { text, etag } = await this.#answerPage(path, request, viewer)
    const headers: HttpReply['headers'] = { etag, 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' }
    if (path === '/docs' || isErrorPage(path)) headers['content-security-policy'] = policy
    if (path === '/docs') {
      headers['cache-control'] = 'private, no-cache'
      headers.vary = 'authorization'
    }
    const type = isErrorPage(path) ? htmlType : types[path]
    if (matchesEntityTag(etag, request.headers['if-none-match']))
      return notModified(headers, { type, length: text.length })
    return { status: 200, headers: { ...headers, 'content-type': type }, body: text }
  }

  #answerPage(path: PagePath, request: HttpRequest, viewer: Viewer): Promise<CachedPage> {
    if (path === '/openapi.json') {
      acceptJson(request)
      return this.#openapi(readProfile(request))
    }
    expectNoParameters(request)
    if (path === '/docs') return this.#docsFor(viewer)
    if (isErrorPage(path)) return this.#cache(path, () => loadErrorPage(codeOf(path)))
    return this.#cache(path, async () => readFileSync(pageFiles[path], 'utf8'))
  }

  #openapi(profile: OpenapiProfile): Promise<CachedPage> {
    return this.#cache(profile, () => loadOpenapiText(this.#model, this.#limits, profile, this.#origins))
  }

  /** The examples name rows that the viewer may read. */
  async #docsFor(viewer: Viewer): Promise<CachedPage> {
    this.#docs ??= this.#makeDocs()
    const [{ fillExamples }, { ExampleRequests }, page, suffix] = await Promise.all([
      import('./page/docs-page.ts'),
      import('./page/example-requests.ts'),
      this.#docs,
      this.#examples.suffix(),
    ])
    const requests = new ExampleRequests(this.#model, viewer, suffix, (target) => this.#examples.read(target, viewer))
    const text = await fillExamples(page, (operation) => requests.commands(operation))
    return { text, etag: pageTag(text) }
  }

  async #makeDocs(): Promise<DocsPage> {
    const { docsPage } = await import('./page/docs-page.ts')
    return docsPage((await this.#openapi('full')).text)
  }

  async #cache(key: string, make: () => Promise<string>): Promise<CachedPage> {
    const known = this.#cached.get(key)
    if (known !== undefined) return known
    const text = await make()
    const page = { text, etag: pageTag(text) }
    this.#cached.set(key, page)
    return page
  }
}

const pageFiles = {
  '/docs/page.css': new URL('./page/page.css', import.meta.url),
  '/docs/page.js': new URL('./page/page.js', import.meta.url),
}

async function loadErrorPage(code: Code | null): Promise<string> {
  const { errorListPage, errorPage } = await import('./page/error-page.ts')
  return code === null ? errorListPage() : errorPage(code)
}

/** Loads the generator when the document is first needed. */
export async function loadOpenapiText(
  model: Model,
  limits: Limits,
  profile: OpenapiProfile,
  origins: readonly string[] = [],
): Promise<string> {
  return (await import('./document.ts')).openapiText(model, limits, profile, origins)
}

export const openapiProfiles: readonly OpenapiProfile[] = ['clients', 'full']

/** `?profile=full`; the default is `clients`. */
function readProfile({ query: text }: HttpRequest): OpenapiProfile {
  const query = parseQuery(text)
  const builder = new PlanBuilder()
  builder.problems.push(...query.problems)
  expectParameters(query, ['profile'], builder)
  const [sent, ...more] = query.filters.filter(({ key }) => key === 'profile')
  if (more.length > 0) builder.problem('profile', 'UNKNOWN', 'appears more than once.')
  const profile = sent === undefined ? 'clients' : openapiProfiles.find((one) => one === sent.text)
  if (profile === undefined) builder.problem('profile', 'TYPE', `must be one of ${openapiProfiles.join(', ')}.`)
  builder.finish(defaultLimits)
  return profile ?? 'clients'
}

export function isModelPath(path: string): boolean {
  return path === '/docs/model'
}

/** `/docs/model`: the model as the viewer can use it (docs/reference/rest.md, R95). */
export async function answerModel(
  request: HttpRequest,
  viewer: Viewer,
  { model, limits }: { model: Model; limits: Limits },
  tokens: Pick<Tokens, 'mayActAsAny'> | null,
  served: { isTrustedOnly: boolean; keepsMails: boolean },
): Promise<HttpReply> {
  if (allowedMethod(request.method, route) === 'OPTIONS') return representOptions(route)
  acceptJson(request)
  expectNoParameters(request)
  const { viewerModel } = await import('#plan/explain')
  const mayActAsAny = (await tokens?.mayActAsAny(viewer)) ?? false
  const body = JSON.stringify(viewerModel(model, viewer, limits, { mayActAsAny, ...served }))
  const etag = pageTag(body)
  const headers = { etag, 'cache-control': 'private, no-cache', vary: 'authorization' }
  const type = types['/openapi.json']
  if (matchesEntityTag(etag, request.headers['if-none-match']))
    return notModified(headers, { type, length: body.length })
  return { status: 200, headers: { ...headers, 'content-type': type }, body }
}
