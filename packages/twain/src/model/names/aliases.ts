// Previous names of fields (`@was`). Generated types and descriptions list such a field twice: the copy has the previous
// name and is deprecated.

import { lowerFirst } from './case.ts'

/** The deprecation reason of a previous name. */
export function renamedReason(name: string): string {
  return `Renamed to ${name}.`
}

interface Aliased {
  name: string
  deprecated: string | null
  alias?: string
}

/** Lists each item, followed by its copy under the previous name. Copies are for descriptions only; plans use the field
 *  itself. */
export function withAliases<Item extends Aliased>(items: Iterable<Item>): Item[] {
  return [...items].flatMap((item) => {
    const renamed = aliasOf(item)
    return renamed === null ? [item] : [item, renamed]
  })
}

/** The same item under its previous name, or null if it has none. */
export function aliasOf<Item extends Aliased>(item: Item): Item | null {
  return item.alias === undefined ? null : { ...item, name: item.alias, deprecated: renamedReason(item.name) }
}

/** The previous GraphQL name of one item of the type (`loanRequest`), or null if the type was not renamed. */
export function singularAlias({ alias }: { alias?: string }): string | null {
  return alias === undefined ? null : lowerFirst(alias)
}

/** A map of fields that also finds a field by its previous name. Iteration lists present names only, so each field appears
 *  once; a lookup accepts both names. */
export class NamedFields<Item> extends Map<string, Item> {
  readonly #aliases = new Map<string, Item>()

  override get(name: string): Item | undefined {
    return super.get(name) ?? this.#aliases.get(name)
  }

  override has(name: string): boolean {
    return super.has(name) || this.#aliases.has(name)
  }

  /** A present name takes precedence over a previous one. */
  alsoKnownAs(alias: string, item: Item): void {
    this.#aliases.set(alias, item)
  }
}
