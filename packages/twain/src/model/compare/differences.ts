// The list of what changed between two contracts.

export interface Difference {
  /** `warning`: nothing that worked fails, but who relies on the former behaviour notices. */
  kind: 'additive' | 'warning' | 'breaking'
  /** `Post`, `Post.title`, `Status.DRAFT`, `Post.price(currency)`. */
  path: string
  message: string
  /** Whom it concerns: who reads, who writes, both of them, or viewers who had a right. */
  affects: Affected
  /** What would be right instead; empty where nothing is wrong. */
  cure: string
  /** What the rows that are there have to do with it. */
  rows: AffectedRows
}

export type Affected = 'nobody' | 'readers' | 'writers' | 'clients' | 'viewers'

/** `stay`: rows are served as before. `forgets`: what they hold there is seen no more. The others say what must be so already:
 *  `none` the type has no rows, `filled` all have a value, `unique` no two have the same, `unused` none holds it. */
type AffectedRows = 'stay' | 'forgets' | 'none' | 'filled' | 'unique' | 'unused'

export class Differences {
  readonly all: Difference[] = []

  additive(path: string, message: string, rows: AffectedRows = 'stay'): void {
    this.all.push({ kind: 'additive', path, message, affects: 'nobody', cure: '', rows })
  }

  warning(path: string, message: string, affects: Affected): void {
    this.all.push({ kind: 'warning', path, message, affects, cure: '', rows: 'stay' })
  }

  breaking(path: string, message: string, told: { affects: Affected; rows?: AffectedRows }, cure: string): void {
    this.all.push({ kind: 'breaking', path, message, cure, rows: 'stay', ...told })
  }

  /** What was announced as deprecated may go. */
  gone(path: string, what: string, wasDeprecated: boolean, rows: AffectedRows = 'stay'): void {
    if (wasDeprecated) this.additive(path, `${what} is gone, as its deprecation said`, rows)
    else this.breaking(path, `${what} is gone`, { affects: 'clients', rows }, putBack)
  }
}

export const putBack = 'Put it back; what is to go is served as @deprecated first.'
export const otherName = 'Make it what it was, and give the new one another name.'
export const optionalOrDefault = 'Make it optional, or give it a @default.'
