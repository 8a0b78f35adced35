// The list of differences between two schemas.

export interface Difference {
  /** `warning`: no request fails, but clients that rely on the previous behaviour notice the change. */
  kind: 'additive' | 'warning' | 'breaking'
  /** `Post`, `Post.title`, `Status.DRAFT`, `Post.price(currency)`. */
  path: string
  message: string
  /** Who is affected: readers, writers, both (`clients`), or viewers who had a permission. */
  affects: Affected
  /** How to avoid the problem; empty if nothing is wrong. */
  hint: string
  /** What the change means for existing rows. */
  rows: AffectedRows
}

export type Affected = 'nobody' | 'readers' | 'writers' | 'clients' | 'viewers'

/** `stay`: rows are served as before. `dropped`: the values in this column are no longer served. The others are
 *  preconditions: `none` the type has no rows, `filled` every row has a value, `unique` no two rows share a value,
 *  `unused` no row has the value. */
type AffectedRows = 'stay' | 'dropped' | 'none' | 'filled' | 'unique' | 'unused'

export class Differences {
  readonly all: Difference[] = []

  additive(path: string, message: string, rows: AffectedRows = 'stay'): void {
    this.all.push({ kind: 'additive', path, message, affects: 'nobody', hint: '', rows })
  }

  warning(path: string, message: string, affects: Affected): void {
    this.all.push({ kind: 'warning', path, message, affects, hint: '', rows: 'stay' })
  }

  breaking(path: string, message: string, effect: { affects: Affected; rows?: AffectedRows }, hint: string): void {
    this.all.push({ kind: 'breaking', path, message, hint, rows: 'stay', ...effect })
  }

  /** Removing something that was deprecated is not breaking. */
  removed(
    path: string,
    what: string,
    wasDeprecated: boolean,
    rows: AffectedRows = 'stay',
    renamed: Renamed = null,
  ): void {
    if (wasDeprecated) this.additive(path, `${what} was removed, as its deprecation announced`, rows)
    else this.breaking(path, `${what} was removed`, { affects: 'clients', rows }, putBackOrRename(path, renamed))
  }
}

/** What takes `@was`; null: nothing does. */
type Renamed = 'type' | 'field' | 'value' | null

/** A rename without `@was` looks like a removal. */
function putBackOrRename(path: string, renamed: Renamed): string {
  const name = path.slice(path.lastIndexOf('.') + 1)
  return renamed === null ? putBack : `${putBack} If you renamed it, write @was(name: "${name}") on the new ${renamed}.`
}

/** Another reason is a description, which does not count. */
export function compareDeprecation(
  before: { deprecated: string | null },
  after: { deprecated: string | null },
  path: string,
  found: Differences,
): void {
  const was = before.deprecated !== null
  const is = after.deprecated !== null
  if (was !== is) found.additive(path, `${path} is ${is ? 'deprecated now' : 'no longer deprecated'}`)
}

export const putBack = 'Put it back, and mark it as @deprecated before you remove it.'
export const otherName = 'Restore it, and use another name for the new one.'
export const optionalOrDefault = 'Make it optional, or give it a @default.'
