// Paths: `/posts`, `/posts/{id}`, `/users/{id}/posts`, `/posts/{id}/tags/{tagId}` (docs/reference/rest.md, R1–R4, R7, R8). The table is
// made once from the model; finding a route is one look-up for each part of the path.

import { ApiError, didYouMean, nearest } from '#base'
import {
  type Abstract,
  type Field,
  kebabCase,
  type LinksField,
  type Model,
  type Resource,
  type ToManyField,
} from '#model'
import { decodePercent, decodePercentOrFail } from './percent.ts'

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'

export type Route =
  | { kind: 'collection'; key: string; of: Resource | Abstract; methods: readonly Method[] }
  | { kind: 'item'; key: string; of: Resource; methods: readonly Method[] }
  | {
      kind: 'nested'
      key: string
      of: Resource | Abstract
      field: ToManyField | LinksField
      methods: readonly Method[]
    }
  | { kind: 'link'; key: string; of: Resource; field: LinksField; methods: readonly Method[] }

interface ResourceRoutes {
  collection: Route
  item: Route | null
  nested: ReadonlyMap<string, Route>
  /** By the name of the nested collection: one link of it. */
  links: ReadonlyMap<string, Route>
}

export interface FoundRoute {
  route: Route
  /** Percent-decoded; empty for a collection. */
  id: string
  /** Of a link: the id at its other end; empty elsewhere. */
  linkedId: string
}

const readOnlyMethods: readonly Method[] = ['GET', 'HEAD', 'OPTIONS']
const collectionMethods: readonly Method[] = ['GET', 'HEAD', 'POST', 'OPTIONS']
const itemMethods: readonly Method[] = ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const linkMethods: readonly Method[] = ['PUT', 'DELETE', 'OPTIONS']

/** Paths of the server itself that come later (see the README). */
const unbuiltPaths: ReadonlySet<string> = new Set(['console'])

export class Router {
  readonly #entries = new Map<string, ResourceRoutes>()
  /** Former paths, and where they lead. */
  readonly #previousPaths = new Map<string, string>()
  /** Of a collection that has nested ones under former names: what each is called now. */
  readonly #previousNestedNames = new Map<string, ReadonlyMap<string, string>>()
  readonly #isReserved: (path: string) => boolean

  /** `isOurs` knows the paths of this door that are no resource's. */
  constructor(model: Model, isOurs: (path: string) => boolean = () => false) {
    this.#isReserved = isOurs
    for (const resource of model.resources) this.#entries.set(resource.path, resourceEntry(resource))
    for (const abstract of model.abstracts) {
      const collection: Route = { kind: 'collection', key: abstract.path, of: abstract, methods: readOnlyMethods }
      this.#entries.set(abstract.path, { collection, item: null, nested: new Map(), links: new Map() })
    }
    for (const { path, formerPaths } of [...model.resources, ...model.abstracts]) {
      for (const former of formerPaths) this.#previousPaths.set(former, path)
    }
    for (const { path, fields } of model.resources) {
      const nested = previousNestedNames(fields.values())
      if (nested.size > 0) this.#previousNestedNames.set(path, nested)
    }
  }

  /** Where a path with a slash at its end, or a former one, has moved to (R7). Null when it has not: it is only told where
   *  there is something, so that it always is a path of ours. */
  redirectTarget(path: string): string | null {
    const isSlashed = path.charCodeAt(path.length - 1) === slash
    if (!isSlashed && this.#previousPaths.size + this.#previousNestedNames.size === 0) return null
    let end = path.length
    while (end > 0 && path.charCodeAt(end - 1) === slash) end--
    const kept = path.slice(0, end)
    const second = kept.indexOf('/', 1)
    const first = decodePercent(second < 0 ? kept.slice(1) : kept.slice(1, second))
    const present = first === null ? undefined : this.#previousPaths.get(first)
    const led = present === undefined ? kept : `/${present}${second < 0 ? '' : kept.slice(second)}`
    const target = this.#withPresentNestedName(led, present ?? first)
    return target !== path && this.#has(target) ? target : null
  }

  /** The path with the present name of the nested collection in it. */
  #withPresentNestedName(path: string, collection: string | null): string {
    const nested = collection === null ? undefined : this.#previousNestedNames.get(collection)
    if (nested === undefined) return path
    const parts = path.split('/')
    const name = parts[3] === undefined ? null : decodePercent(parts[3])
    const present = name === null ? undefined : nested.get(name)
    if (present !== undefined) parts[3] = present
    return parts.join('/')
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

  /** All of them, in the order of the file. */
  routes(): Route[] {
    return [...this.#entries.values()].flatMap(routesOf)
  }

  /** Those that are also reached by a former path, with that one. */
  previousRoutes(): [key: string, route: Route][] {
    const nested = [...this.#previousNestedNames].flatMap(([path, names]) =>
      [...names].flatMap(([former, present]) =>
        routesOf(this.#entries.get(path)!)
          .filter((route) => 'field' in route && kebabCase(route.field.name) === present)
          .map((route): [string, Route] => [route.key.replace(`/{id}/${present}`, `/{id}/${former}`), route]),
      ),
    )
    const moved = [...this.#previousPaths].flatMap(([former, path]) =>
      routesOf(this.#entries.get(path)!).map((route): [string, Route] => [
        former + route.key.slice(path.length),
        route,
      ]),
    )
    return [...nested, ...moved]
  }

  /** What most requests ask for, a collection or one of its rows by a plain path, found by one look-up. Null for all else:
   *  no path of ours and no former one is that of a collection. */
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
    const message = `There is nothing at ${path}.`
    if (first === 'files') return new ApiError('NOT_FOUND', `${message} No field of the contract is of the type File.`)
    if (unbuiltPaths.has(first)) return new ApiError('NOT_FOUND', `${message} It is not built yet.`)
    const near = nearest(first, this.#entries.keys()).map((name) => `/${name}`)
    if (near.length > 0 && !this.#entries.has(first)) {
      return new ApiError('NOT_FOUND', `${message} Did you mean ${near.join(' or ')}?`)
    }
    const all = [...this.#entries.keys()].slice(0, 20).map((name) => `/${name}`)
    return new ApiError('NOT_FOUND', message, { hint: `The collections are ${all.join(', ')}.` })
  }

  #noItems(path: string, of: Resource | Abstract): ApiError {
    const members = of.kind === 'abstract' ? of.members.map((member) => `/${member.path}/{id}`) : []
    return new ApiError('NOT_FOUND', `There is nothing at ${path}.`, {
      hint: `/${of.path} is a collection over several types; one row is at ${members.join(' or ')}.`,
    })
  }
}

function previousNestedNames(fields: Iterable<Field>): Map<string, string> {
  const lists = [...fields].filter(({ kind }) => kind === 'many' || kind === 'links')
  const taken = new Set(lists.map(({ name }) => kebabCase(name)))
  return new Map(
    lists.flatMap(({ name, alias }): [string, string][] => {
      const former = alias === undefined ? null : kebabCase(alias)
      return former === null || taken.has(former) ? [] : [[former, kebabCase(name)]]
    }),
  )
}

function routesOf({ collection, item, nested, links }: ResourceRoutes): Route[] {
  return [collection, ...(item === null ? [] : [item]), ...nested.values(), ...links.values()]
}

const slash = 47
const plainId = /^[A-Za-z0-9_-]+$/

/** The request's method, where the route has it; a 405 with `Allow` otherwise (R5). */
export function allowedMethod<M extends Method>(method: string, route: Route | { methods: readonly M[] }): M {
  for (const allowed of route.methods) if (allowed === method) return allowed as M
  const allow = route.methods.join(', ')
  const hint = 'kind' in route ? methodHint(route) : undefined
  throw new ApiError('METHOD_NOT_ALLOWED', `${method} is not possible here; ${allow} are.`, {
    headers: { allow },
    hint,
  })
}

/** Where the other methods are. */
function methodHint({ kind, of, key, methods }: Route): string | undefined {
  if (of.kind === 'abstract' && kind === 'collection') {
    return `/${of.path} can only be read; its rows are written at ${of.members.map(({ path }) => `/${path}`).join(', ')}.`
  }
  if (kind === 'item') return `Rows are made with POST at /${of.path}.`
  if (kind === 'nested' && !methods.includes('POST')) {
    return `One link is made with PUT at /${key}/{id}, all at once with PATCH at /${key.slice(0, key.lastIndexOf('/'))}.`
  }
  if (kind === 'link') return `Those that there are can be read at /${key.slice(0, key.lastIndexOf('/'))}.`
  return of.kind === 'abstract' ? undefined : `One row is written at /${of.path}/{id}.`
}

/** The path parameter of the row at the other end of a link: `tagId`. */
export function linkedIdName({ to }: LinksField): string {
  return `${to.single}Id`
}

function resourceEntry(resource: Resource): ResourceRoutes {
  const key = `${resource.path}/{id}`
  const nested = new Map<string, Route>()
  const links = new Map<string, Route>()
  for (const field of resource.fields.values()) {
    if (field.kind !== 'many' && field.kind !== 'links') continue
    const name = kebabCase(field.name)
    const methods = field.kind === 'many' ? collectionMethods : readOnlyMethods
    nested.set(name, { kind: 'nested', key: `${key}/${name}`, of: field.to, field, methods })
    if (field.kind !== 'links') continue
    links.set(name, {
      kind: 'link',
      key: `${key}/${name}/{${linkedIdName(field)}}`,
      of: resource,
      field,
      methods: linkMethods,
    })
  }
  return {
    collection: { kind: 'collection', key: resource.path, of: resource, methods: collectionMethods },
    item: { kind: 'item', key, of: resource, methods: itemMethods },
    nested,
    links,
  }
}
