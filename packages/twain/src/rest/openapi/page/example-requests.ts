// The examples of `/docs`: for each operation a request that succeeds as it is printed, for a viewer who may make it. They are
// made for the viewer of the page, so that their ids exist.

import { isRecord } from '#base'
import type { Viewer } from '#base/http'
import type { Abstract, Json, Model, ReferenceField, Resource, ToManyField } from '#model'
import { isRequiredInput } from '#plan/build'
import { exampleCreate } from '#plan/explain'
import { isKeyPath } from '../../request/path-key.ts'
import { type Route, Router } from '../../request/route.ts'
import { type CurlRequest, curlCommand } from './curl-command.ts'
import type { ParameterView } from './document-view.ts'
import { ExampleRows, missingId, type ReadPath } from './example-rows.ts'

/** An operation of the document, for its example. */
export interface ExampleOperation {
  method: string
  path: string
  parameters: readonly ParameterView[]
  /** The example of the document. */
  body: unknown
  needsToken: boolean
  isStream: boolean
}

export class ExampleRequests {
  readonly #model: Model
  readonly #viewer: Viewer
  readonly #suffix: string
  readonly #rows: ExampleRows
  readonly #routes: ReadonlyMap<string, Route>

  /** `suffix`, a hexadecimal number, makes the values of unique fields new. */
  constructor(model: Model, viewer: Viewer, suffix: string, read: ReadPath) {
    this.#model = model
    this.#viewer = viewer
    this.#suffix = suffix
    this.#rows = new ExampleRows(model, viewer, read)
    this.#routes = new Map(new Router(model).routes().map((route) => [`/${route.key}`, route]))
  }

  /** The commands, one below the other. */
  async commands(operation: ExampleOperation): Promise<string> {
    const requests = await this.#requests(operation)
    return requests.map(curlCommand).join('\n')
  }

  async #requests(operation: ExampleOperation): Promise<CurlRequest[]> {
    const { method, path, isStream } = operation
    const hasToken = operation.needsToken || this.#viewer.authenticated
    const route = this.#routes.get(path)
    const isOwn = route !== undefined && 'own' in route && route.own?.includes(method) === true
    if (route !== undefined && !isOwn) return [{ method, hasToken, ...(await this.#onRows(route, operation)) }]
    const before = path === '/tokens' && method === 'POST' ? await this.#signUp() : null
    if (before !== null) return [before, { ...this.#signIn(before), method: 'POST', hasToken: false }]
    return [{ method, hasToken, isStream, ...(await this.#onSystem(operation)) }]
  }

  async #onRows(route: Route, operation: ExampleOperation): Promise<Pick<CurlRequest, 'target' | 'body'>> {
    const { method, path } = operation
    const { of } = route
    if (route.kind === 'collection' && (method === 'PATCH' || method === 'DELETE')) return this.#byFilter(of, operation)
    if (route.kind === 'collection') {
      const body = method === 'POST' && of.kind === 'resource' ? await this.#create(of, operation.body) : undefined
      return { target: withQuery(path, operation), body }
    }
    if (route.kind === 'item' && isKeyPath(path)) return this.#byKey(route.of, operation)
    if (route.kind === 'item' && method === 'PUT') {
      const target = path.replace('{id}', `example-${this.#suffix}`)
      return { target, body: await this.#create(route.of, operation.body) }
    }
    if (route.kind === 'nested' && of.kind === 'resource' && of.system?.isRedelivered && method === 'POST') {
      const target = path.replace('{id}', await this.#rows.newest(route.field.owner))
      return { target, body: { delivery: await this.#rows.system(target) } }
    }
    if (route.kind === 'nested' && route.field.kind === 'many' && method === 'POST') {
      const { id, body } = await this.#createInList(route.field, operation.body)
      return { target: path.replace('{id}', id), body }
    }
    const owner = route.kind === 'nested' ? route.field.owner : route.of
    const isDelete = route.kind === 'item' && method === 'DELETE'
    const id = await (isDelete ? this.#rows.deletable(owner) : this.#rows.newest(owner))
    const linked = route.kind === 'link' ? await this.#rows.newest(route.field.to) : ''
    const target = withQuery(path.replace('{id}', id).replace(/\{\w+\}/, linked), operation)
    return { target, body: operation.body }
  }

  /** A filter that finds one row, and changes nothing. */
  async #byFilter(
    of: Resource | Abstract,
    { method, path, body }: ExampleOperation,
  ): Promise<Pick<CurlRequest, 'target' | 'body'>> {
    const isDelete = method === 'DELETE' && of.kind === 'resource'
    const id = await (isDelete ? this.#rows.deletableByFilter(of) : this.#rows.newest(of))
    return { target: `${path}?id=${encodeURIComponent(id)}&dryRun=true`, body }
  }

  /** A PUT creates a row; the others find one by its key. */
  async #byKey(of: Resource, operation: ExampleOperation): Promise<Pick<CurlRequest, 'target' | 'body'>> {
    const { method, path, body } = operation
    if (method === 'PUT') {
      const created = await this.#create(of, body)
      return { target: withKey(path, created), body: created }
    }
    const id = await (method === 'DELETE' ? this.#rows.deletable(of) : this.#rows.newest(of))
    return { target: withQuery(withKey(path, await this.#rows.row(of, id)), operation), body }
  }

  async #create(of: Resource, fallback: unknown): Promise<unknown> {
    return this.#createWith(of, fallback, await this.#rows.references(of, this.#neededReferences(of), new Map()))
  }

  /** The row that has the list, and a new row of the list. */
  async #createInList({ to, via, owner }: ToManyField, fallback: unknown): Promise<{ id: string; body: unknown }> {
    const needed = this.#neededReferences(to).filter((field) => field !== via)
    // Of an interface the row must be one of this type; a reference to the viewer is that of the viewer.
    const isFixed = via.to !== owner || via.auto === 'VIEWER' || via.defaultsToViewer
    const given = new Map(isFixed ? [[via, await this.#rows.newest(owner)]] : [])
    const ids = await this.#rows.references(to, isFixed ? needed : [via, ...needed], given)
    return { id: ids.get(via) ?? missingId, body: this.#createWith(to, fallback, ids, via) }
  }

  #neededReferences(of: Resource): ReferenceField[] {
    return [...of.fields.values()].filter(
      (field): field is ReferenceField =>
        field.kind === 'reference' && (isRequiredInput(field) || (this.#isWithoutAccount && field.required)),
    )
  }

  get #isWithoutAccount(): boolean {
    return this.#viewer.authenticated && this.#viewer.account === null
  }

  #createWith(
    of: Resource,
    fallback: unknown,
    ids: ReadonlyMap<ReferenceField, string>,
    owner?: ReferenceField,
  ): unknown {
    const input = exampleCreate(of, this.#model, {
      owner,
      referenceTo: (field) => ids.get(field) ?? missingId,
      withoutAccount: this.#isWithoutAccount,
      suffix: this.#suffix,
    })
    return input ?? fallback
  }

  /** Null: the service has no account type. */
  async #signUp(): Promise<(CurlRequest & { body: { [key: string]: Json } }) | null> {
    const { account } = this.#model
    if (account === null) return null
    const body = (await this.#create(account.resource, {})) as { [key: string]: Json }
    return { method: 'POST', target: `/${account.resource.path}`, body, hasToken: this.#viewer.authenticated }
  }

  #signIn({ body }: { body: { [key: string]: Json } }): Pick<CurlRequest, 'target' | 'body'> {
    const login = this.#model.account!.login.name
    return { target: '/tokens', body: { [login]: body[login], password: body.password } }
  }

  async #onSystem(operation: ExampleOperation): Promise<Pick<CurlRequest, 'target' | 'body' | 'text'>> {
    const { path, body } = operation
    if (path === '/files') return { target: '/files?name=hello.txt', text: 'Hello' }
    if (path === '/batch') return { target: path, body: await this.#batch() }
    const id = path.includes('{id}') ? await this.#systemId(path) : ''
    const target = withQuery(path.replace('{id}', id), operation)
    return { target, body: await this.#withIds(body) }
  }

  #systemId(path: string): Promise<string> {
    if (path === '/files/{id}') return this.#rows.file()
    return this.#rows.system(path.slice(0, path.indexOf('/{id}')))
  }

  async #batch(): Promise<unknown> {
    const [first] = this.#model.resources
    return first === undefined ? [] : [{ method: 'POST', path: `/${first.path}`, body: await this.#create(first, {}) }]
  }

  /** An argument of custom code that has the name of a type is probably an id of it: `post`, `postId`. */
  async #withIds(body: unknown): Promise<unknown> {
    if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
    const members = Object.entries(body).map(async ([name, value]) => {
      const of = this.#model.resources.find(({ single }) => name === single || name === `${single}Id`)
      return [name, of === undefined || typeof value !== 'string' ? value : await this.#rows.newest(of)]
    })
    return Object.fromEntries(await Promise.all(members))
  }
}

/** The path with the key of this row. */
function withKey(path: string, row: unknown): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = isRecord(row) ? row[name] : undefined
    return encodeURIComponent(String(value ?? missingId))
  })
}

function withQuery(path: string, { parameters, method }: ExampleOperation): string {
  // Sessions are ended by one of two parameters.
  const shown = method === 'GET' ? 'limit' : method === 'DELETE' ? 'current' : null
  const query = parameters.filter(({ name, in: place, required }) => place === 'query' && (required || name === shown))
  const search = query.map(({ name, example }) => `${name}=${encodeURIComponent(String(example ?? 3))}`).join('&')
  return search === '' ? path : `${path}?${search}`
}
