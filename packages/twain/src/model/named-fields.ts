// Fields by their names, which are also found by a former one (`@was`). Only present names are listed: whoever goes through
// the fields meets each once, and whoever has a name from a request finds what it meant when it was written.

export class NamedFields<Item> extends Map<string, Item> {
  readonly #former = new Map<string, Item>()

  override get(name: string): Item | undefined {
    return super.get(name) ?? this.#former.get(name)
  }

  override has(name: string): boolean {
    return super.has(name) || this.#former.has(name)
  }

  /** A present name is never taken for a former one. */
  alsoKnownAs(former: string, item: Item): void {
    this.#former.set(former, item)
  }
}
