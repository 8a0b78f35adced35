// The images of changes as the statements of `sql/subscription.ts` take them.

import type { ChangeRecord } from './change-log.ts'

/** A change, and the JSON text that is bound for it. */
export interface ChangeImage {
  change: ChangeRecord
  text: string
}

/** `withBefore`: whether the statement reads the row as it was before the change. */
export function toImages(changes: readonly ChangeRecord[], withBefore: boolean): ChangeImage[] {
  return changes.map((change) => {
    const { id, version, after } = change
    const before = withBefore ? previousRow(change) : 'null'
    return { change, text: `{"i":${JSON.stringify(id)},"v":${version},"a":${after ?? 'null'},"b":${before}}` }
  })
}

/** For an update the log stores the previous values of the changed fields only. */
function previousRow({ kind, after, before }: ChangeRecord): string {
  if (kind === 'created' || before === null) return 'null'
  if (kind === 'deleted' || after === null) return before
  return JSON.stringify({ ...JSON.parse(after), ...JSON.parse(before) })
}

/** Characters of images in one statement; a single image may be longer. */
const maxBoundCharacters = 500_000

/** Splits changes in their order, at most `most` at once. */
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
