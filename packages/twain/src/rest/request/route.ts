// Finds the route of a path: `/posts`, `/posts/{id}`, `/users/{id}/posts`, `/posts/{id}/tags/{tagId}` (docs/reference/rest.md,
// R1–R4, R7, R8). The table is built from the model; each part of a path takes one lookup.

import { ApiError, didYouMean } from '#base'
import {
  type Abstract,
  type Field,
  type LinksField,
  type Model,
  type Resource,
  servedResources,
  type ToManyField,
  writesOf,
} from '#model'
import { kebabCase } from '#model/names'
import { formerTypePath } from '#plan/explain'
import { decodePercent, decodePercentOrFail } from './query-string.ts'
import { unknownPath } from './unknown-path.ts'

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'

/** `key`: the path without its first slash, `posts/{id}`; `template`: with it. */
export type Route =
  | { kind: 'collection'; key: string; template: string; of: Resource | Abstract; methods: readonly Method[] }
  | { kind: 'item'; key: string; template: string; of: Resource; methods: readonly Method[] }
  | {
      kind: 'nested'
      key: string
      template: string
      of: Resource | Abstract
      field: ToManyField | LinksField
      methods: readonly Method[]
    }
  | { kind: 'link'; key: string; template: string; of: Resource; field: LinksField; methods: readonly Method[] }

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

export interface Redirect {
  target: string
  /** The previous names that the path uses (`FormerNames`). */
  formerNames: readonly string[]
}

export class Router {
  readonly #entries = new Map<string, ResourceRoutes>()
  /** Previous path of a collection → its present path. */
  readonly #previousPaths = new Map<string, string>()
  /** Path of a collection → previous names of its nested collections → their present names. */
  readonly #previousNestedNames = new Map<string, ReadonlyMap<string, string>>()
  readonly #model: Model
  readonly #isReserved: (path: string) => boolean

  /** `isReserved`: whether the path belongs to the REST API but to no resource (`/batch`, `/changes`, …). */
  constructor(model: Model, isReserved: (path: string) => boolean = () => false) {
    this.#model = model
    this.#isReserved = isReserved
    for (const resource of servedResources(model)) this.#entries.set(resource.path, resourceEntry(resource))
    for (const abstract of model.abstracts) {
      const collection: Route = { kind: 'collection', ...keyed(abstract.path), of: abstract, methods: readOnlyMethods }
      this.#entries.set(abstract.path, { collection, item: null, nested: new Map(), links: new Map() })
    }
    for (const { path, previousPaths } of [...model.resources, ...model.abstracts]) {
      for (const previous of previousPaths) this.#previousPaths.set(previous, path)
    }
    for (const { path, fields } of model.resources) {
      const nested = previousNestedNames(fields.values())
      if (nested.size > 0) this.#previousNestedNames.set(path, nested)
    }
  }

  /** Where to redirect a path with a trailing slash or a previous name (R7). Null if there is no redirect: the target is always
   *  a path that exists. */
  redirect(path: string): Redirect | null {
    const isSlashed = path.charCodeAt(path.length - 1) === slash
    if (!isSlashed && this.#previousPaths.size + this.#previousNestedNames.size === 0) return null
    let end = path.length
    while (end > 0 && path.charCodeAt(end - 1) === slash) end--
    const trimmed = path.slice(0, end)
    const second = trimmed.indexOf('/', 1)
    const first = decodePercent(second < 0 ? trimmed.slice(1) : trimmed.slice(1, second))
    const present = first === null ? undefined : this.#previousPaths.get(first)
    const renamed = present === undefined ? trimmed : `/${present}${second < 0 ? '' : trimmed.slice(second)}`
    const target = this.#withPresentNestedName(renamed, present ?? first)
    if (target === path || !this.#has(target)) return null
    const of = target === trimmed ? undefined : this.#entries.get(present ?? first ?? '')?.collection.of
    if (of === undefined) return { target, formerNames: [] }
    const nested = target === renamed ? [] : [`${of.name}.${this.#formerField(of, renamed)}`]
    return { target, formerNames: present === undefined ? nested : [formerTypePath(of), ...nested] }
  }

  /** The previous name of the list whose nested path this is. */
  #formerField({ fields }: Resource | Abstract, path: string): string | undefined {
    const name = decodePercent(path.split('/')[3] ?? '')
    return [...fields.values()].find(({ alias }) => alias !== undefined && kebabCase(alias) === name)?.alias
  }

  /** Replaces the previous name of a nested collection. */
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

  /** All routes, in the order of the schema file. */
  routes(): Route[] {
    return [...this.#entries.values()].flatMap(routesOf)
  }

  /** The routes that have a previous path, by that path. */
  previousRoutes(): [key: string, route: Route][] {
    const nested = [...this.#previousNestedNames].flatMap(([path, names]) =>
      [...names].flatMap(([previous, present]) =>
        routesOf(this.#entries.get(path)!)
          .filter((route) => 'field' in route && kebabCase(route.field.name) === present)
          .map((route): [string, Route] => [route.key.replace(`/{id}/${present}`, `/{id}/${previous}`), route]),
      ),
    )
    const renamed = [...this.#previousPaths].flatMap(([previous, path]) =>
      routesOf(this.#entries.get(path)!).map((route): [string, Route] => [
        previous + route.key.slice(path.length),
        route,
      ]),
    )
    return [...nested, ...renamed]
  }

  /** The fast path of most requests: a collection, or a row with a plain id, found by one lookup. Null for all other paths;
   *  no reserved or previous path equals that of a collection. */
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

function previousNestedNames(fields: Iterable<Field>): Map<string, string> {
  const lists = [...fields].filter(({ kind }) => kind === 'many' || kind === 'links')
  const taken = new Set(lists.map(({ name }) => kebabCase(name)))
  return new Map(
    lists.flatMap(({ name, alias }): [string, string][] => {
      const previous = alias === undefined ? null : kebabCase(alias)
      return previous === null || taken.has(previous) ? [] : [[previous, kebabCase(name)]]
    }),
  )
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

function resourceEntry(resource: Resource): ResourceRoutes {
  const key = `${resource.path}/{id}`
  const nested = new Map<string, Route>()
  const links = new Map<string, Route>()
  for (const field of resource.fields.values()) {
    if (field.kind !== 'many' && field.kind !== 'links') continue
    const name = kebabCase(field.name)
    const isCreated = field.kind === 'many' && writesOf(field.to).includes('create')
    const methods = isCreated ? collectionMethods : readOnlyMethods
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
  const methods = writes.includes('create') ? collectionMethods : readOnlyMethods
  return {
    collection: { kind: 'collection', ...keyed(resource.path), of: resource, methods },
    item: { kind: 'item', ...keyed(key), of: resource, methods: ['GET', 'HEAD', ...changes, 'OPTIONS'] },
    nested,
    links,
  }
}
