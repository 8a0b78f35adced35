// Replaces each null that an error explains by `failed`, so that the cache does not store it as a null.

import type { Data } from '../document/selection.ts'
import { failed } from './node.ts'

type Path = readonly (string | number)[]

export function markFailures(data: Data, errors: readonly { path?: Path | undefined }[]): Data {
  return errors.reduce((marked, { path }) => (path ? (mark(marked, path) as Data) : marked), data)
}

function mark(value: unknown, [step, ...rest]: Path): unknown {
  if (value === null) return failed
  if (step === undefined || typeof value !== 'object') return value
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string | number, unknown>
  copy[step] = mark(copy[step], rest)
  return copy
}
