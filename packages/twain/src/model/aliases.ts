// Former names of fields, where a face lists what it takes or gives: a field stands there once more under the name that it
// had, as deprecated.

import { lowerFirst } from './names/case.ts'

/** Why a former name is deprecated. */
export function renamedReason(name: string): string {
  return `It is called ${name} now.`
}

interface Aliased {
  name: string
  deprecated: string | null
  alias?: string
}

/** Each of them, and behind it the same under its former name. The copies are for spelling: a plan has the field itself. */
export function withAliases<Item extends Aliased>(items: Iterable<Item>): Item[] {
  return [...items].flatMap((item) => {
    const former = aliasOf(item)
    return former === null ? [item] : [item, former]
  })
}

/** The same under its former name; null where it has none. */
export function aliasOf<Item extends Aliased>(item: Item): Item | null {
  return item.alias === undefined ? null : { ...item, name: item.alias, deprecated: renamedReason(item.name) }
}

/** What an item of the type was called: `loanRequest`; null where the type had no other name. */
export function singularAlias({ alias }: { alias?: string }): string | null {
  return alias === undefined ? null : lowerFirst(alias)
}
