// PostgreSQL cuts names off at 63 bytes. Longer ones are shortened here, so that two which begin alike stay two; on SQLite
// too, so that a service can move from one to the other with its names.

import { hash } from 'node:crypto'

const longest = 63

/** Of ASCII, as names in a schema file are. */
export function shortName(name: string): string {
  if (name.length <= longest) return name
  const mark = `~${hash('sha256', name, 'hex').slice(0, 12)}`
  return name.slice(0, longest - mark.length) + mark
}
