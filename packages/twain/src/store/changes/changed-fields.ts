// Which fields a change changed, by the columns and lists for which the change log has previous values.

import type { Field, Resource } from '#model'
import { type Layout, tableOf } from '../tables/layout.ts'
import type { ChangeRecord } from './change-log.ts'

export class ChangedFields {
  readonly #layout: Layout
  readonly #byName = new Map<Resource, Map<string, Field>>()

  constructor(layout: Layout) {
    this.#layout = layout
  }

  /** Without columns that no field of the schema has any more. */
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
      // As `write/rows/image.ts` names them.
      if (field.kind === 'links') names.set(`${this.#layout.links.get(field.link)!.name}.${field.side}`, field)
    }
    this.#byName.set(resource, names)
    return names
  }
}
