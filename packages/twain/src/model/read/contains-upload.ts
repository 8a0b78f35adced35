// Which types of custom code take files.

import type { StoredType, ValueType } from '../model.ts'

/** Whether a value of the type can have files in it. `seen`: an input may contain itself. */
export function containsUpload(type: StoredType, seen: ReadonlySet<ValueType> = new Set()): boolean {
  if (type.kind === 'list') return containsUpload(type.of, seen)
  if (type.kind !== 'value') return type.kind === 'scalar' && type.isUpload === true
  const { value } = type
  return (
    !seen.has(value) && [...value.fields.values()].some((one) => containsUpload(one.type, new Set([...seen, value])))
  )
}
