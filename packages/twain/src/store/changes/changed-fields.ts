// Which fields of the contract a change was of, by the columns and lists that the log has former values of.

import type { Field, Resource } from '#model'
import { type Layout, tableOf } from '../tables/layout.ts'
import type { ChangeRecord } from './change-log.ts'

export class ChangedFields {
  readonly #layout: Layout
  readonly #byName = new Map<Resource, Map<string, Field>>()

  constructor(layout: Layout) {
    this.#layout = layout
  }

  /** What the contract has no field for any more is not among them. */
  of(resource: Resource, { before }: ChangeRecord): Field[] {
    const byName = this.#names(resource)
    const changed = Object.keys(JSON.parse(before ?? '{}'))
    return changed.flatMap((name) => byName.get(name) ?? [])
  }

  #names(resource: Resource): Map<string, Field> {
    const known = this.#byName.get(resource)
    if (known !== undefined) return known
    const names = new Map<string, Field>()
    for (const [field, { name, type }] of tableOf(this.#layout, resource).columns) {
      names.set(name, field)
      if (type !== null) names.set(type, field)
    }
    for (const field of resource.fields.values()) {
      // As `write/image.ts` names them.
      if (field.kind === 'links') names.set(`${this.#layout.links.get(field.link)!.name}.${field.side}`, field)
    }
    this.#byName.set(resource, names)
    return names
  }
}
