// Aliases in paths (`@was`, and `was` of `@resource`): of a collection, and of a list of a row. They redirect to the present path
// (docs/reference/rest.md, R7).

import { type Abstract, isList, type ListField, type Model, type Resource } from '#model'
import { firstName, hasOneName, kebabCase } from '#model/names'
import { memberAlias, typeAlias } from '#plan/build'
import { decodePercent } from './query-string.ts'

export interface Redirect {
  target: string
  /** The aliases that the path uses (`UsedAliases`). */
  aliases: readonly string[]
}

export class PathAliases {
  /** By the alias of the path. */
  readonly #collections: ReadonlyMap<string, Resource | Abstract>
  /** By the path of the collection, and then by the alias of the list in a path. */
  readonly #lists: ReadonlyMap<string, ReadonlyMap<string, ListField>>

  constructor({ resources, abstracts }: Model) {
    this.#collections = new Map(
      [...resources, ...abstracts].flatMap((of) => of.previousPaths.map((path) => [path, of] as const)),
    )
    const lists = resources.map((of) => [of.path, listsByAlias(of)] as const)
    this.#lists = new Map(lists.filter(([, byAlias]) => byAlias.size > 0))
  }

  get isEmpty(): boolean {
    return this.#collections.size === 0 && this.#lists.size === 0
  }

  /** The path with the present names. */
  resolve(path: string): Redirect {
    const parts = path.split('/')
    const aliases: string[] = []
    const first = decodePercent(parts[1] ?? '') ?? ''
    const of = this.#collections.get(first)
    if (of !== undefined) {
      parts[1] = of.path
      aliases.push(typeAlias(of))
    }
    const list = this.#lists.get(of?.path ?? first)?.get(decodePercent(parts[3] ?? '') ?? '')
    if (list !== undefined) {
      parts[3] = kebabCase(list.name)
      aliases.push(memberAlias(list.owner, list.alias))
    }
    return { target: parts.join('/'), aliases }
  }

  /** Those of these routes that have an alias, by the key that it has: lists first. */
  of<Route extends { key: string }>(routes: readonly Route[]): [key: string, route: Route][] {
    const nested = [...this.#lists.values()].flatMap((byAlias) =>
      [...byAlias].flatMap(([alias, list]) =>
        routes
          .filter((route) => 'field' in route && route.field === list)
          .map((route): [string, Route] => [
            route.key.replace(`/{id}/${kebabCase(list.name)}`, `/{id}/${alias}`),
            route,
          ]),
      ),
    )
    const renamed = [...this.#collections].flatMap(([alias, { path }]) =>
      routes
        .filter(({ key }) => key === path || key.startsWith(`${path}/`))
        .map((route): [string, Route] => [alias + route.key.slice(path.length), route]),
    )
    return [...nested, ...renamed]
  }
}

/** An alias that is the present name of another list means that one. */
function listsByAlias({ fields }: Resource): Map<string, ListField> {
  const lists = [...fields.values()].filter(isList)
  const taken = new Set(lists.map(({ name }) => kebabCase(name)))
  const renamed = lists.filter((list) => !hasOneName(list))
  return new Map(
    renamed.map((list) => [kebabCase(firstName(list)), list] as const).filter(([alias]) => !taken.has(alias)),
  )
}
