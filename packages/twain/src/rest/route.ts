// Paths: `/posts`, `/posts/{id}`, `/users/{id}/posts` (docs/rest.md, R1–R4). The table is made once from the model; finding
// a route is one look-up for each part of the path.

import { didYouMean, Fault, nearest } from '#base'
import { type Abstract, kebabCase, type LinksField, type Model, type Resource, type ToManyField } from '#model'
import { decodeText } from './percent.ts'

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

interface Entry {
  collection: Route
  item: Route | null
  nested: ReadonlyMap<string, Route>
}

interface Found {
  route: Route
  /** Percent-decoded; empty for a collection. */
  id: string
}

const readOnly: readonly Method[] = ['GET', 'HEAD', 'OPTIONS']
const growing: readonly Method[] = ['GET', 'HEAD', 'POST', 'OPTIONS']
const item: readonly Method[] = ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** Paths of the server itself that come later (see the README). */
const notBuilt: ReadonlySet<string> = new Set('webhooks changes batch docs console openapi.json metrics'.split(' '))

export class Router {
  readonly #entries = new Map<string, Entry>()

  constructor(model: Model) {
    for (const resource of model.resources) this.#entries.set(resource.path, resourceEntry(resource))
    for (const abstract of model.abstracts) {
      const collection: Route = { kind: 'collection', key: abstract.path, of: abstract, methods: readOnly }
      this.#entries.set(abstract.path, { collection, item: null, nested: new Map() })
    }
  }

  find(path: string): Found {
    const [, first = '', second, third, ...more] = path.split('/').map((part) => decodeText(part, 'The path'))
    const entry = this.#entries.get(first)
    if (entry === undefined) throw this.#nothingAt(path, first)
    if (second === undefined) return { route: entry.collection, id: '' }
    if (second === '' || third === '' || more.length > 0) throw this.#nothingAt(path, first)
    if (third === undefined) {
      if (entry.item === null) throw this.#noItems(path, entry.collection.of)
      return { route: entry.item, id: second }
    }
    const nested = entry.nested.get(third)
    if (nested === undefined) {
      throw new Fault('NOT_FOUND', `There is nothing at ${path}.${didYouMean(third, entry.nested.keys())}`)
    }
    return { route: nested, id: second }
  }

  #nothingAt(path: string, first: string): Fault {
    const message = `There is nothing at ${path}.`
    if (path.length > 1 && path.endsWith('/')) {
      return new Fault('NOT_FOUND', message, {
        hint: `Try ${path.replace(/\/+$/, '') || '/'} without the slash at its end.`,
      })
    }
    if (first === 'files') return new Fault('NOT_FOUND', `${message} No field of the contract is of the type File.`)
    if (notBuilt.has(first)) return new Fault('NOT_FOUND', `${message} It is not built yet.`)
    const near = nearest(first, this.#entries.keys()).map((name) => `/${name}`)
    if (near.length > 0 && !this.#entries.has(first)) {
      return new Fault('NOT_FOUND', `${message} Did you mean ${near.join(' or ')}?`)
    }
    const all = [...this.#entries.keys()].slice(0, 20).map((name) => `/${name}`)
    return new Fault('NOT_FOUND', message, { hint: `The collections are ${all.join(', ')}.` })
  }

  #noItems(path: string, of: Resource | Abstract): Fault {
    const members = of.kind === 'abstract' ? of.members.map((member) => `/${member.path}/{id}`) : []
    return new Fault('NOT_FOUND', `There is nothing at ${path}.`, {
      hint: `/${of.path} is a collection over several types; one row is at ${members.join(' or ')}.`,
    })
  }
}

/** The request's method, where the route has it; a 405 with `Allow` otherwise (R5). */
export function allowedMethod<M extends Method>(method: string, route: Route | { methods: readonly M[] }): M {
  for (const allowed of route.methods) if (allowed === method) return allowed as M
  const allow = route.methods.join(', ')
  const hint = 'kind' in route ? methodHint(route) : undefined
  throw new Fault('METHOD_NOT_ALLOWED', `${method} is not possible here; ${allow} are.`, { headers: { allow }, hint })
}

/** Where the other methods are. */
function methodHint({ kind, of, key, methods }: Route): string | undefined {
  if (of.kind === 'abstract' && kind === 'collection') {
    return `/${of.path} can only be read; its rows are written at ${of.members.map(({ path }) => `/${path}`).join(', ')}.`
  }
  if (kind === 'item') return `Rows are made with POST at /${of.path}.`
  if (kind === 'nested' && !methods.includes('POST')) {
    return `These links are written with their row: PATCH at /${key.slice(0, key.lastIndexOf('/'))} with a list of ids.`
  }
  return of.kind === 'abstract' ? undefined : `One row is written at /${of.path}/{id}.`
}

function resourceEntry(resource: Resource): Entry {
  const key = `${resource.path}/{id}`
  const nested = new Map<string, Route>()
  for (const field of resource.fields.values()) {
    if (field.kind !== 'many' && field.kind !== 'links') continue
    const name = kebabCase(field.name)
    const methods = field.kind === 'many' ? growing : readOnly
    if (!nested.has(name)) nested.set(name, { kind: 'nested', key: `${key}/${name}`, of: field.to, field, methods })
  }
  return {
    collection: { kind: 'collection', key: resource.path, of: resource, methods: growing },
    item: { kind: 'item', key, of: resource, methods: item },
    nested,
  }
}
