// The images of changes as the statements of `compile/watch.ts` take them.

import type { ChangeRecord } from './change-log.ts'

/** A change, and the JSON text of what is bound for it. */
export interface ChangeImage {
  change: ChangeRecord
  text: string
}

/** `wantsBefore`: whether anything is asked of the row as it was. */
export function toImages(changes: readonly ChangeRecord[], wantsBefore: boolean): ChangeImage[] {
  return changes.map((change) => {
    const { id, version, after } = change
    const before = wantsBefore ? previousRow(change) : 'null'
    return { change, text: `{"i":${JSON.stringify(id)},"v":${version},"a":${after ?? 'null'},"b":${before}}` }
  })
}

/** The log keeps of an update the former values of what changed: the rest was as it is after it. */
function previousRow({ kind, after, before }: ChangeRecord): string {
  if (kind === 'created' || before === null) return 'null'
  if (kind === 'deleted' || after === null) return before
  return JSON.stringify({ ...JSON.parse(after), ...JSON.parse(before) })
}

/** Characters of images that are bound at once; a single one may be longer. */
const maxBoundCharacters = 500_000

/** In their order, at most so many at once. */
export function* splitChanges(changes: readonly ChangeRecord[], most: number): Generator<ChangeRecord[]> {
  let some: ChangeRecord[] = []
  let size = 0
  for (const change of changes) {
    const length = 2 * (change.after?.length ?? 0) + (change.before?.length ?? 0)
    if (some.length > 0 && (some.length >= most || size + length > maxBoundCharacters)) {
      yield some
      some = []
      size = 0
    }
    some.push(change)
    size += length
  }
  if (some.length > 0) yield some
}
