// A place of an answer where own code failed: a mark stands there, and the door puts its own words in its place.

import { randomBytes } from 'node:crypto'

/** Nobody can guess it, so no value of a row is ever taken for it. */
const mark = `failed:${randomBytes(16).toString('hex')}:`

/** `index` is the failure's among those of the answer. */
export function failureMarker(index: number): string {
  return `${mark}${index}`
}

/** Which failure the value stands for; null: it is a value. */
export function failureIn(value: unknown): number | null {
  return typeof value === 'string' && value.startsWith(mark) ? Number(value.slice(mark.length)) : null
}
