// The address of a file that not everyone may read carries a signature, which no database makes: the store writes a marker
// behind the path, and the corridor puts the signature there.

import { randomBytes } from 'node:crypto'

/** Nobody can guess it, so no value of a row is ever taken for it. */
export const signatureMarker: string = `signed:${randomBytes(16).toString('hex')}`

const marked = new RegExp(`/files/([A-Za-z0-9_-]+)${signatureMarker}`, 'g')

export function hasSignatureMarkers(text: string): boolean {
  return text.includes(signatureMarker)
}

/** `query` is what stands behind the path of the file with this id, a `?` before it. */
export function replaceSignatureMarkers(text: string, query: (id: string) => string): string {
  return text.replace(marked, (_, id: string) => `/files/${id}${query(id)}`)
}
