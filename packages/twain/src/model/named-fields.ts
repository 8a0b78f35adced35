// A map of fields that also finds a field by its previous name (`@was`). Iteration lists present names only, so each field
// appears once; a lookup accepts both names.

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
