// Aliases: previous names that still work (`@was`). A request may use either name, so whoever looks up a name accepts both.
// Generated types and descriptions list an item twice: the copy has the alias and is deprecated.

export interface Named {
  name: string
  alias?: string
}

/** The names that a request may use: the present one, and then the alias. */
export function namesOf({ name, alias }: Named): string[] {
  return alias === undefined ? [name] : [name, alias]
}

/** With an alias, a schema can require neither of the two names. */
export function hasOneName({ alias }: Named): boolean {
  return alias === undefined
}

/** What stays the same through a rename, as long as the alias is declared. */
export function firstName({ name, alias }: Named): string {
  return alias ?? name
}

/** The item with this name. A present name takes precedence over an alias. */
export function itemNamed<Item extends Named>(items: readonly Item[], name: unknown): Item | undefined {
  return items.find((item) => item.name === name) ?? items.find(({ alias }) => alias !== undefined && alias === name)
}

export interface DescribedName extends Named {
  deprecated: string | null
}

/** Lists each item, followed by its copy under the alias. Copies are for descriptions only; plans use the field itself. */
export function withAliases<Item extends DescribedName>(items: Iterable<Item>): Item[] {
  return [...items].flatMap((item) => {
    const { name, alias } = item
    return alias === undefined ? [item] : [item, { ...item, name: alias, deprecated: renamedReason(name) }]
  })
}

/** The deprecation reason of an alias. */
export function renamedReason(name: string): string {
  return `Renamed to ${name}.`
}

/** A map of fields that also finds a field by its alias. Iteration lists present names only, so each field appears once; a
 *  lookup accepts both names. */
export class NamedFields<Item> extends Map<string, Item> {
  readonly #aliases = new Map<string, Item>()

  override get(name: string): Item | undefined {
    return super.get(name) ?? this.#aliases.get(name)
  }

  override has(name: string): boolean {
    return super.has(name) || this.#aliases.has(name)
  }

  /** A present name takes precedence over an alias. */
  alsoKnownAs(alias: string, item: Item): void {
    this.#aliases.set(alias, item)
  }
}
