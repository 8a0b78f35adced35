// The code of a mail: eight characters of base 32, without letters that look like digits (Crockford). A person may type it in any
// case, with spaces and dashes.

import { randomBytes } from '#base/time'

const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const codeLength = 8

export function makeCode(): string {
  return [...randomBytes(codeLength)].map((byte) => alphabet[byte & 31]).join('')
}

/** As it was made, whatever a person typed for it. */
export function canonicalCode(typed: string): string {
  return typed.toUpperCase().replace(/[\s-]/g, '').replaceAll('O', '0').replace(/[IL]/g, '1')
}
