// Finds the route of a path: `/posts`, `/posts/{id}`, `/users/{id}/posts`, `/posts/{id}/tags/{tagId}` (docs/reference/rest.md,
// R1–R4, R7–R9). The table is built from the model; each part of a path takes one lookup. A unique key in the place of `{id}` has
// routes of its own (`/posts/slug={slug}`), made when the first request uses the key.

import { ApiError, didYouMean } from '#base'
import {
  type Abstract,
  type LinksField,
  type Model,
  type Resource,
  servedResources,
  type ToManyField,
  uniqueKeysOf,
  writesOf,
} from '#model'
import { exportPath, hasExport, isBulkWritten, isRevertible, kebabCase } from '#model/names'
import { hasHistory } from '#plan/build'
import { PathAliases, type Redirect } from './path-aliases.ts'
import { findKey, isKey, keyTemplate, type PathKey, readKey } from './path-key.ts'
import { decodePercentOrFail } from './query-string.ts'
import { unknownPath } from './unknown-path.ts'

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'

/** `key`: the path without its first slash, `posts/{id}`; `template`: with it. */
export type Route =
  | {
      kind: 'collection'
      key: string
      template: string
      of: Resource | Abstract
      methods: readonly Method[]
      own?: OwnMethods
    }
  | ItemRoute
  | NestedRoute
  | LinkRoute
  | HistoryRoute
  | ExportRoute
  | AccessRoute
  | MessageRoute

interface RouteBase {
  key: string
  template: string
  methods: readonly Method[]
  /** The unique key in the place of the id. */
  by?: PathKey
}

interface ItemRoute extends RouteBase {
  kind: 'item'
  of: Resource
  own?: OwnMethods
  /** Set for `/posts/{id}/restorations` and `/posts/{id}/reversions`: what a POST does to the row. */
  action?: 'restore' | 'revert'
}

interface NestedRoute extends RouteBase {
  kind: 'nested'
  of: Resource | Abstract
  field: ToManyField | LinksField
}

interface LinkRoute extends RouteBase {
  kind: 'link'
  of: Resource
  field: LinksField
}

/** `/posts/{id}/changes`: on each type whose changes are logged. */
interface HistoryRoute extends RouteBase {
  kind: 'history'
  of: Resource
}

/** `/users/{id}/export`: on the account type. */
interface ExportRoute extends RouteBase {
  kind: 'export'
  of: Resource
}

/** `/posts/{id}/access`: what a viewer may do with the row, for the role admin. */
interface AccessRoute extends RouteBase {
  kind: 'access'
  of: Resource
}

/** `/webhook-deliveries/{id}/message`: what the server sends. */
interface MessageRoute extends RouteBase {
  kind: 'message'
  of: Resource
}

/** The methods that code of the type's own answers. */
type OwnMethods = readonly string[]

/** The routes below one row. */
interface RowRoutes {
  item: ItemRoute | null
  nested: ReadonlyMap<string, NestedRoute>
  /** The route of one link, by the name of its nested collection. */
  links: ReadonlyMap<string, LinkRoute>
  /** By the last part of its path. */
  belowRow: ReadonlyMap<string, BelowRow>
}

/** A path below a row that is no list of rows. */
type BelowRow = HistoryRoute | ExportRoute | AccessRoute | MessageRoute | ItemRoute

interface ResourceRoutes extends RowRoutes {
  collection: Route
  /** Null: deletes of the type are final. A deleted row has no key: its values are free. */
  restorations: ItemRoute | null
  /** By the names of a key as a path has them: `list,name`. Only keys of the schema get in, so there are few. */
  byKey: Map<string, RowRoutes>
}

export interface FoundRoute {
  route: Route
  /** Percent-decoded; empty for a collection, and for a row by its key. */
  id: string
  /** The values of the key in the path, percent-decoded; empty for a row by its id. */
  keyValues: readonly string[]
  /** The second id of the path of a link; empty for other routes. */
  linkedId: string
}

const readOnlyMethods: readonly Method[] = ['GET', 'HEAD', 'OPTIONS']
const collectionMethods: readonly Method[] = ['GET', 'HEAD', 'POST', 'OPTIONS']
const itemWrites = { replace: 'PUT', update: 'PATCH', delete: 'DELETE' } as const
const linkMethods: readonly Method[] = ['PUT', 'DELETE', 'OPTIONS']

export class Router {
  readonly #entries = new Map<string, ResourceRoutes>()
  readonly #aliases: PathAliases
  readonly #model: Model
  readonly #isReserved: (path: string) => boolean

  /** `isReserved`: whether the path belongs to the REST API but to no resource (`/batch`, `/changes`, …). */
  constructor(model: Model, isReserved: (path: string) => boolean = () => false) {
    this.#model = model
    this.#isReserved = isReserved
    this.#aliases = new PathAliases(model)
    for (const resource of servedResources(model)) {
      const isExported = model.account?.resource === resource && hasExport(model)
      this.#entries.set(resource.path, resourceEntry(resource, isExported))
    }
    for (const abstract of model.abstracts) {
      const collection: Route = { kind: 'collection', ...keyed(abstract.path), of: abstract, methods: readOnlyMethods }
      const entry = {
        collection,
        item: null,
        restorations: null,
        nested: new Map(),
        links: new Map(),
        belowRow: new Map(),
        byKey: new Map(),
      }
      this.#entries.set(abstract.path, entry)
    }
  }

  /** Where to redirect a path with a trailing slash or an alias (R7). Null if there is no redirect: the target is always a path
   *  that exists. */
  redirect(path: string): Redirect | null {
    const isSlashed = path.charCodeAt(path.length - 1) === slash
    if (!isSlashed && this.#aliases.isEmpty) return null
    let end = path.length
    while (end > 0 && path.charCodeAt(end - 1) === slash) end--
    const redirect = this.#aliases.resolve(path.slice(0, end))
    return redirect.target === path || !this.#has(redirect.target) ? null : redirect
  }

  #has(path: string): boolean {
    return this.#isReserved(path) || this.routeOf(path) !== null
  }

  /** Null: there is nothing at the path. */
  routeOf(path: string): Route | null {
    try {
      return this.find(path).route
    } catch {
      return null
    }
  }

  /** All routes, in the order of the schema file. */
  routes(): Route[] {
    return [...this.#entries.values()].flatMap(routesOf)
  }

  /** The routes that have an alias, by the key that the alias has. */
  aliases(): [key: string, route: Route][] {
    return this.#aliases.of(this.routes())
  }

  /** The fast path of most requests: a collection, or a row with a plain id or key, found by one lookup. Null for all other paths;
   *  no reserved path and no alias equals the path of a collection. */
  findPlain(path: string): FoundRoute | null {
    const second = path.indexOf('/', 1)
    const entry = this.#entries.get(second === -1 ? path.slice(1) : path.slice(1, second))
    if (entry === undefined) return null
    if (second === -1) return { route: entry.collection, id: '', keyValues: noValues, linkedId: '' }
    const id = path.slice(second + 1)
    if (entry.item === null) return null
    if (plainId.test(id)) return { route: entry.item, id, keyValues: noValues, linkedId: '' }
    if (!plainKey.test(id)) return null
    const { routes, keyValues } = rowAt(id, '', entry)
    return { route: routes.item!, id: '', keyValues, linkedId: '' }
  }

  find(path: string): FoundRoute {
    const parts = path.split('/')
    const [row = ''] = parts.slice(2)
    for (let at = 1; at < parts.length; at++) parts[at] = decodePercentOrFail(parts[at]!, 'The path')
    const [first = '', second, third, fourth] = [parts[1], parts[2], parts[3], parts[4]]
    const entry = this.#entries.get(first)
    if (entry === undefined) throw this.#nothingAt(path, first)
    if (second === undefined) return { route: entry.collection, id: '', keyValues: noValues, linkedId: '' }
    if (second === '' || third === '' || fourth === '' || parts.length > 5) throw this.#nothingAt(path, first)
    if (entry.item === null && third === undefined) throw this.#noItems(path, entry.collection.of)
    const { routes, id, keyValues } = rowAt(row, second, entry)
    if (third === undefined) return { route: routes.item!, id, keyValues, linkedId: '' }
    const below =
      fourth === undefined ? (routes.nested.get(third) ?? routes.belowRow.get(third)) : routes.links.get(third)
    if (below !== undefined) return { route: below, id, keyValues, linkedId: fourth ?? '' }
    if (third === restorationsPath && fourth === undefined && entry.restorations !== null && routes === entry)
      return { route: entry.restorations, id, keyValues, linkedId: '' }
    throw this.#nothingBelow(path, third, fourth, entry)
  }

  #nothingBelow(
    path: string,
    third: string,
    fourth: string | undefined,
    { nested, belowRow }: ResourceRoutes,
  ): ApiError {
    const { of } = nested.get(third) ?? {}
    return new ApiError(
      'NOT_FOUND',
      `There is nothing at ${path}.${didYouMean(third, [...nested.keys(), ...belowRow.keys()])}`,
      {
        hint: fourth !== undefined && of?.kind === 'resource' ? `One ${of.name} is at /${of.path}/{id}.` : undefined,
      },
    )
  }

  #nothingAt(path: string, first: string): ApiError {
    return unknownPath(path, first, this.#model, this.#isReserved)
  }

  #noItems(path: string, of: Resource | Abstract): ApiError {
    const members = of.kind === 'abstract' ? of.members.map((member) => `/${member.path}/{id}`) : []
    return new ApiError('NOT_FOUND', `There is nothing at ${path}.`, {
      hint: `/${of.path} is a collection over several types; one row is at ${members.join(' or ')}.`,
    })
  }
}

/** A key under its present names; what is below it is the same as below an id. */
function routesOf(entry: ResourceRoutes): Route[] {
  const { collection, item, restorations, nested, links, belowRow } = entry
  const keyed = collection.of.kind === 'resource' ? keyedItems(entry, collection.of) : []
  const items = [item, restorations].filter((route) => route !== null)
  return [collection, ...items, ...keyed, ...nested.values(), ...links.values(), ...belowRow.values()]
}

function keyedItems(entry: RowRoutes, of: Resource): ItemRoute[] {
  return uniqueKeysOf(of).flatMap(({ fields }) => {
    const by = fields.map((field, at) => ({ field, name: field.name, at }))
    return keyRoutes(entry, by, of).item ?? []
  })
}

/** The path below a row that restores it. No list has this name. */
const restorationsPath = 'restorations'

const slash = 47
const plainId = /^[A-Za-z0-9_-]+$/
const plainKey = /^[^/]*=[^/]*$/
const noValues: readonly string[] = []

/** The routes of the row that a part of a path names, by its id or by a key. `part` is raw, `id` is decoded. */
function rowAt(
  part: string,
  id: string,
  entry: ResourceRoutes,
): { routes: RowRoutes; id: string; keyValues: readonly string[] } {
  const { of } = entry.collection
  if (!isKey(part) || of.kind !== 'resource') return { routes: entry, id, keyValues: noValues }
  const { names, values } = readKey(part)
  const signature = names.join()
  const routes = entry.byKey.get(signature) ?? keyRoutes(entry, findKey(names, of), of)
  entry.byKey.set(signature, routes)
  return { routes, id: '', keyValues: values }
}

/** What a path with an id has, a path with a key has too. */
function keyRoutes({ item, nested, links, belowRow }: RowRoutes, by: PathKey, { path }: Resource): RowRoutes {
  const place = `${path}/{id}`
  const byPlace = by.toSorted((one, other) => one.at - other.at).map(({ name }) => name)
  const keyed = <R extends RouteBase>(route: R): R => {
    const key = `${path}/${keyTemplate(byPlace)}${route.key.slice(place.length)}`
    return { ...route, key, template: `/${key}`, by }
  }
  const all = <R extends RouteBase>(routes: ReadonlyMap<string, R>) =>
    new Map([...routes].map(([name, route]) => [name, keyed(route)] as const))
  return { item: item && keyed(item), nested: all(nested), links: all(links), belowRow: all(belowRow) }
}

/** The method of the request if the route has it; throws a 405 with `Allow` otherwise (R5). */
export function allowedMethod<M extends Method>(method: string, route: Route | { methods: readonly M[] }): M {
  for (const allowed of route.methods) if (allowed === method) return allowed as M
  const allow = route.methods.join(', ')
  const hint = 'kind' in route ? methodHint(route) : undefined
  throw new ApiError('METHOD_NOT_ALLOWED', `${method} is not supported here; ${allow} are.`, {
    headers: { allow },
    hint,
  })
}

/** Names the path that has the other methods. */
function methodHint(route: Route): string | undefined {
  const { kind, of, key, methods } = route
  if (of.kind === 'abstract' && kind === 'collection') {
    return `/${of.path} is read-only; write its rows at ${of.members.map(({ path }) => `/${path}`).join(', ')}.`
  }
  if (kind === 'item' && route.action === 'restore') return 'A POST restores the deleted row.'
  if (kind === 'item' && route.action === 'revert') return 'A POST of {"version": 3} puts that version of the row back.'
  if (kind === 'item') return `Create rows with POST at /${of.path}.`
  if (kind === 'nested' && !methods.includes('POST')) {
    return `Add one link with PUT at /${key}/{id}, or set all with PATCH at /${key.slice(0, key.lastIndexOf('/'))}.`
  }
  if (kind === 'history' || kind === 'export' || kind === 'access' || kind === 'message') return undefined
  if (kind === 'link') return `Read the linked rows at /${key.slice(0, key.lastIndexOf('/'))}.`
  return of.kind === 'abstract' ? undefined : `Write one row at /${of.path}/{id}.`
}

/** The name of the second path parameter of a link: `tagId`. */
export function linkedIdName({ to }: LinksField): string {
  return `${to.single}Id`
}

function keyed(key: string): Pick<RouteBase, 'key' | 'template'> {
  return { key, template: `/${key}` }
}

/** Whether a list of these rows has POST: it creates a row, or sends one again. */
function takesPost(of: Resource): boolean {
  return writesOf(of).includes('create') || of.system?.isRedelivered === true
}

/** A collection takes the writes of its rows by a filter. */
function bulkMethods(writes: readonly string[], methods: readonly Method[]): readonly Method[] {
  const changes = (['update', 'delete'] as const).filter((write) => writes.includes(write))
  return [...methods.slice(0, -1), ...changes.map((write) => itemWrites[write]), 'OPTIONS']
}

/** Code of its own deletes several rows of a type of the server itself. */
function withDelete(methods: readonly Method[], own: readonly string[]): readonly Method[] {
  return own.includes('DELETE') ? [...methods.slice(0, -1), 'DELETE', 'OPTIONS'] : methods
}

function resourceEntry(resource: Resource, isExported: boolean): ResourceRoutes {
  const key = `${resource.path}/{id}`
  const nested = new Map<string, NestedRoute>()
  const links = new Map<string, LinkRoute>()
  for (const field of resource.fields.values()) {
    if (field.kind !== 'many' && field.kind !== 'links') continue
    const name = kebabCase(field.name)
    const methods = field.kind === 'many' && takesPost(field.to) ? collectionMethods : readOnlyMethods
    nested.set(name, { kind: 'nested', ...keyed(`${key}/${name}`), of: field.to, field, methods })
    if (field.kind !== 'links') continue
    links.set(name, {
      kind: 'link',
      ...keyed(`${key}/${name}/{${linkedIdName(field)}}`),
      of: resource,
      field,
      methods: linkMethods,
    })
  }
  const writes = writesOf(resource)
  const changes = writes.flatMap((write) => (write === 'create' ? [] : [itemWrites[write]]))
  const { collection: own = [], item: ownOfItem = [] } = resource.system?.ownRequests ?? {}
  const methods = writes.includes('create') || own.includes('POST') ? collectionMethods : readOnlyMethods
  const allMethods = isBulkWritten(resource) ? bulkMethods(writes, methods) : withDelete(methods, own)
  const itemMethods: readonly Method[] = ['GET', 'HEAD', ...changes, 'OPTIONS']
  return {
    collection: {
      kind: 'collection',
      ...keyed(resource.path),
      of: resource,
      methods: allMethods,
      ...(own.length > 0 && { own }),
    },
    item: {
      kind: 'item',
      ...keyed(key),
      of: resource,
      methods: itemMethods,
      ...(ownOfItem.length > 0 && { own: ownOfItem }),
    },
    restorations: resource.softDelete === undefined ? null : restorationsOf(resource),
    nested,
    links,
    belowRow: new Map<string, BelowRow>([
      ...historyRoutes(resource, key),
      ...(isExported ? [exportRoute(resource, key)] : []),
      ...(resource.system?.isRedelivered === true ? [messageRoute(resource, key)] : []),
    ]),
    byKey: new Map(),
  }
}

function historyRoutes(of: Resource, key: string): [name: string, route: BelowRow][] {
  if (!hasHistory(of)) return []
  const changes: HistoryRoute = { kind: 'history', ...keyed(`${key}/changes`), of, methods: readOnlyMethods }
  const access: AccessRoute = { kind: 'access', ...keyed(`${key}/access`), of, methods: readOnlyMethods }
  const both: [string, BelowRow][] = [
    ['changes', changes],
    ['access', access],
  ]
  if (!isRevertible(of)) return both
  const methods: readonly Method[] = ['POST', 'OPTIONS']
  const reversions: ItemRoute = { kind: 'item', ...keyed(`${key}/reversions`), of, methods, action: 'revert' }
  return [...both, ['reversions', reversions]]
}

function exportRoute(of: Resource, key: string): [name: string, route: ExportRoute] {
  return [exportPath, { kind: 'export', ...keyed(`${key}/${exportPath}`), of, methods: readOnlyMethods }]
}

function messageRoute(of: Resource, key: string): [name: string, route: MessageRoute] {
  return ['message', { kind: 'message', ...keyed(`${key}/message`), of, methods: readOnlyMethods }]
}

function restorationsOf(of: Resource): ItemRoute {
  const key = `${of.path}/{id}/${restorationsPath}`
  return { kind: 'item', ...keyed(key), of, methods: ['POST', 'OPTIONS'], action: 'restore' }
}
