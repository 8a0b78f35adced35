// Finds the route of a path: `/posts`, `/posts/{id}`, `/users/{id}/posts`, `/posts/{id}/tags/{tagId}` (docs/reference/rest.md,
// R1–R4, R7, R8). The table is built from the model; each part of a path takes one lookup.

import { ApiError, didYouMean } from '#base'
import {
  type Abstract,
  type LinksField,
  type Model,
  type Resource,
  servedResources,
  type ToManyField,
  writesOf,
} from '#model'
import { kebabCase } from '#model/names'
import { PathAliases, type Redirect } from './path-aliases.ts'
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
  | { kind: 'item'; key: string; template: string; of: Resource; methods: readonly Method[]; own?: OwnMethods }
  | {
      kind: 'nested'
      key: string
      template: string
      of: Resource | Abstract
      field: ToManyField | LinksField
      methods: readonly Method[]
    }
  | { kind: 'link'; key: string; template: string; of: Resource; field: LinksField; methods: readonly Method[] }

/** The methods that code of the type's own answers. */
type OwnMethods = readonly string[]

interface ResourceRoutes {
  collection: Route
  item: Route | null
  nested: ReadonlyMap<string, Route>
  /** The route of one link, by the name of its nested collection. */
  links: ReadonlyMap<string, Route>
}

export interface FoundRoute {
  route: Route
  /** Percent-decoded; empty for a collection. */
  id: string
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
    for (const resource of servedResources(model)) this.#entries.set(resource.path, resourceEntry(resource))
    for (const abstract of model.abstracts) {
      const collection: Route = { kind: 'collection', ...keyed(abstract.path), of: abstract, methods: readOnlyMethods }
      this.#entries.set(abstract.path, { collection, item: null, nested: new Map(), links: new Map() })
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
    if (this.#isReserved(path)) return true
    try {
      this.find(path)
      return true
    } catch {
      return false
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

  /** The fast path of most requests: a collection, or a row with a plain id, found by one lookup. Null for all other paths;
   *  no reserved path and no alias equals the path of a collection. */
  findPlain(path: string): FoundRoute | null {
    const second = path.indexOf('/', 1)
    const entry = this.#entries.get(second === -1 ? path.slice(1) : path.slice(1, second))
    if (entry === undefined) return null
    if (second === -1) return { route: entry.collection, id: '', linkedId: '' }
    const id = path.slice(second + 1)
    return entry.item !== null && plainId.test(id) ? { route: entry.item, id, linkedId: '' } : null
  }

  find(path: string): FoundRoute {
    const parts = path.split('/')
    for (let at = 1; at < parts.length; at++) parts[at] = decodePercentOrFail(parts[at]!, 'The path')
    const [first = '', second, third, fourth] = [parts[1], parts[2], parts[3], parts[4]]
    const entry = this.#entries.get(first)
    if (entry === undefined) throw this.#nothingAt(path, first)
    if (second === undefined) return { route: entry.collection, id: '', linkedId: '' }
    if (second === '' || third === '' || fourth === '' || parts.length > 5) throw this.#nothingAt(path, first)
    if (third === undefined) {
      if (entry.item === null) throw this.#noItems(path, entry.collection.of)
      return { route: entry.item, id: second, linkedId: '' }
    }
    const below = (fourth === undefined ? entry.nested : entry.links).get(third)
    if (below !== undefined) return { route: below, id: second, linkedId: fourth ?? '' }
    throw this.#nothingBelow(path, third, fourth, entry)
  }

  #nothingBelow(path: string, third: string, fourth: string | undefined, { nested }: ResourceRoutes): ApiError {
    const { of } = nested.get(third) ?? {}
    return new ApiError('NOT_FOUND', `There is nothing at ${path}.${didYouMean(third, nested.keys())}`, {
      hint: fourth !== undefined && of?.kind === 'resource' ? `One ${of.name} is at /${of.path}/{id}.` : undefined,
    })
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

function routesOf({ collection, item, nested, links }: ResourceRoutes): Route[] {
  return [collection, ...(item === null ? [] : [item]), ...nested.values(), ...links.values()]
}

const slash = 47
const plainId = /^[A-Za-z0-9_-]+$/

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
function methodHint({ kind, of, key, methods }: Route): string | undefined {
  if (of.kind === 'abstract' && kind === 'collection') {
    return `/${of.path} is read-only; write its rows at ${of.members.map(({ path }) => `/${path}`).join(', ')}.`
  }
  if (kind === 'item') return `Create rows with POST at /${of.path}.`
  if (kind === 'nested' && !methods.includes('POST')) {
    return `Add one link with PUT at /${key}/{id}, or set all with PATCH at /${key.slice(0, key.lastIndexOf('/'))}.`
  }
  if (kind === 'link') return `Read the linked rows at /${key.slice(0, key.lastIndexOf('/'))}.`
  return of.kind === 'abstract' ? undefined : `Write one row at /${of.path}/{id}.`
}

/** The name of the second path parameter of a link: `tagId`. */
export function linkedIdName({ to }: LinksField): string {
  return `${to.single}Id`
}

function keyed(key: string): Pick<Route, 'key' | 'template'> {
  return { key, template: `/${key}` }
}

/** Whether a list of these rows has POST: it creates a row, or sends one again. */
function takesPost(of: Resource): boolean {
  return writesOf(of).includes('create') || of.system?.isRedelivered === true
}

function resourceEntry(resource: Resource): ResourceRoutes {
  const key = `${resource.path}/{id}`
  const nested = new Map<string, Route>()
  const links = new Map<string, Route>()
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
  const itemMethods: readonly Method[] = ['GET', 'HEAD', ...changes, 'OPTIONS']
  return {
    collection: { kind: 'collection', ...keyed(resource.path), of: resource, methods, ...(own.length > 0 && { own }) },
    item: {
      kind: 'item',
      ...keyed(key),
      of: resource,
      methods: itemMethods,
      ...(ownOfItem.length > 0 && { own: ownOfItem }),
    },
    nested,
    links,
  }
}
