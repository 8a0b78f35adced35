// A field that may not be read on a row: the store writes a marker in its place, and the door puts its own words there.

import { randomBytes } from 'node:crypto'

/** Nobody can guess it, so no value of a row is ever taken for it. */
export const forbiddenMarker: string = `refused:${randomBytes(16).toString('hex')}`

/** Whether a text has refused fields in it at all: the only thing that is asked of most texts. */
export function hasForbiddenFields(text: string): boolean {
  return text.includes(forbiddenMarker)
}

/** The parsed answer with each refused member given to `refuse`, which says what stands there instead; undefined leaves the
 *  member out. Paths are of keys and indexes. */
export function replaceForbiddenFields(text: string, refuse: (path: (string | number)[]) => unknown): unknown {
  return visit(JSON.parse(text), [])

  function visit(value: unknown, path: (string | number)[]): unknown {
    if (value === forbiddenMarker) return refuse(path)
    if (Array.isArray(value)) return value.map((item, index) => visit(item, [...path, index]))
    if (typeof value !== 'object' || value === null) return value
    const members = Object.entries(value).map(([key, member]) => [key, visit(member, [...path, key])] as const)
    return Object.fromEntries(members.filter(([, member]) => member !== undefined))
  }
}
