// The images of changes: as the statements of `sql/subscription.ts` take them, and which fields they show as changed.

import type { Field, Resource } from '#model'
import { type Layout, tableOf } from '../tables/layout.ts'
import type { ChangeRecord } from './change-log.ts'

/** A change, and the JSON text that is bound for it. */
export interface ChangeImage {
  change: ChangeRecord
  text: string
}

/** `withBefore`: whether the statement reads the row as it was before the change. */
export function toImages(changes: readonly ChangeRecord[], withBefore: boolean): ChangeImage[] {
  return changes.map((change) => {
    const { id, version, time, after } = change
    const before = withBefore ? previousRow(change) : 'null'
    return {
      change,
      text: `{"i":${JSON.stringify(id)},"v":${version},"t":"${time}","a":${after ?? 'null'},"b":${before}}`,
    }
  })
}

/** The change as if it had written the row as it was before; null if there was none. */
export function withPreviousRow(change: ChangeRecord): ChangeRecord | null {
  const after = previousRow(change)
  return after === 'null' ? null : { ...change, kind: 'updated', after, before: null }
}

/** For an update the log stores the previous values of the changed fields only. */
function previousRow({ kind, after, before }: ChangeRecord): string {
  if (kind === 'created' || before === null) return 'null'
  if (kind === 'deleted' || after === null) return before
  return JSON.stringify({ ...JSON.parse(after), ...JSON.parse(before) })
}

/** Characters of images in one statement; a single image may be longer. */
const maxBoundCharacters = 500_000

/** Splits changes in their order, at most `maxCount` at once. */
export function* splitChanges(changes: readonly ChangeRecord[], maxCount: number): Generator<ChangeRecord[]> {
  let some: ChangeRecord[] = []
  let size = 0
  for (const change of changes) {
    const length = 2 * (change.after?.length ?? 0) + (change.before?.length ?? 0)
    if (some.length > 0 && (some.length >= maxCount || size + length > maxBoundCharacters)) {
      yield some
      some = []
      size = 0
    }
    some.push(change)
    size += length
  }
  if (some.length > 0) yield some
}

/** Which fields a change changed, by the columns and lists for which the change log has previous values. */
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
      // As `write/rows/save-change.ts` names them.
      if (field.kind === 'links') names.set(`${this.#layout.links.get(field.link)!.name}.${field.side}`, field)
    }
    this.#byName.set(resource, names)
    return names
  }
}
