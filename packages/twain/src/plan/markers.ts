// Markers that the store and the engine write into the JSON text of a result. A later step replaces each by its own words.
// A marker holds 16 random bytes of this process, so no value of a row is ever mistaken for one.

import { randomBytes } from '#base/time'

/** Stands where the viewer may not read a field of a row. The adapter replaces it. */
export const forbiddenMarker = {
  text: `forbidden:${randomBytes(16).toString('hex')}`,

  /** Cheap: most results hold no marker, and are not parsed. */
  isIn(text: string): boolean {
    return text.includes(forbiddenMarker.text)
  },

  /** Parses the text. `replace` gets the keys and indexes of each marker; undefined leaves the member out. */
  replaceIn(text: string, replace: (path: (string | number)[]) => unknown): unknown {
    return visit(JSON.parse(text), [])

    function visit(value: unknown, path: (string | number)[]): unknown {
      if (value === forbiddenMarker.text) return replace(path)
      if (Array.isArray(value)) return value.map((item, index) => visit(item, [...path, index]))
      if (typeof value !== 'object' || value === null) return value
      const members = Object.entries(value).map(([key, member]) => [key, visit(member, [...path, key])] as const)
      return Object.fromEntries(members.filter(([, member]) => member !== undefined))
    }
  },
}

/** Stands behind the URL of a file that not everyone may read, or of a variant of it. The engine replaces it by a signature. */
export const signatureMarker = {
  text: `signed:${randomBytes(16).toString('hex')}`,

  isIn(text: string): boolean {
    return text.includes(signatureMarker.text)
  },

  /** `queryFor` gives the query string of a signed URL, `?` included. `variant` is that of a variant of the image, or empty. */
  replaceIn(text: string, queryFor: (id: string, variant: string) => string): string {
    return text.replace(markedUrl, (_, id: string, variant = '') => `/files/${id}${queryFor(id, variant)}`)
  },
}

const markedUrl = new RegExp(`/files/([A-Za-z0-9_-]+)(?:\\?([A-Za-z0-9=&]+))?${signatureMarker.text}`, 'g')

/** Stands before the position of a change in the log. The engine replaces both by the cursor of the change. */
export const cursorMarker = {
  text: `cursor:${randomBytes(16).toString('hex')}:`,

  /** `cursorAt` gives the cursor of a position. */
  replaceIn(text: string, cursorAt: (position: number) => string): string {
    return text.replace(markedPosition, (_, position: string) => cursorAt(Number(position)))
  },
}

const markedPosition = new RegExp(`${cursorMarker.text}(\\d+)`, 'g')

const failurePrefix = `failed:${randomBytes(16).toString('hex')}:`

/** Stands where custom code failed. The adapter replaces it by an error. */
export const failureMarker = {
  /** `index` is the position in the failures of the result. */
  write(index: number): string {
    return `${failurePrefix}${index}`
  },

  /** The index that `write` got; null: the value is no marker. */
  read(value: unknown): number | null {
    return typeof value === 'string' && value.startsWith(failurePrefix)
      ? Number(value.slice(failurePrefix.length))
      : null
  },
}
