// One line for each header field. Several parts of the server name what a reply varies by, or a preference that they applied. Several
// lines are legal (RFC 9110, 5.2), but nginx up to 1.22 obeys only the last `Vary`, and would answer from its cache in a coding or
// with the grants of another client.

type Field = string | string[]

/** Moves the values of repeated names into the first of their lines. `fields` is a flat list of names, in lower case, and values; a list of
 *  values (`set-cookie`) stays. */
export function combineFields(fields: Field[]): void {
  for (let at = 2; at < fields.length; at += 2) {
    const first = firstLine(fields, fields[at]!, at)
    const value = fields[at + 1]
    if (first === at || typeof value !== 'string' || typeof fields[first + 1] !== 'string') continue
    fields[first + 1] += `, ${value}`
    fields.splice(at, 2)
    at -= 2
  }
}

/** A reply has some ten fields: comparing them takes less time than a map. */
function firstLine(fields: readonly Field[], name: Field, end: number): number {
  for (let at = 0; at < end; at += 2) if (fields[at] === name) return at
  return end
}
