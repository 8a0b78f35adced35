// What the id of a row may be (docs/reference/rest.md, R3).

/** Whether a client may choose this id for a row. Generated ids have this form too. */
export function isPossibleId(id: string): boolean {
  return /^[A-Za-z0-9_-]{1,64}$/.test(id)
}

export const possibleIdMessage = 'must be 1 to 64 letters, digits, "_" and "-" to be the id of a row.'
