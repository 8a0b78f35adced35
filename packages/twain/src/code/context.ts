// What own code is given beside its rows and arguments.

import type { Log, Viewer } from '#base'

export interface Context {
  /** Who asks. */
  viewer: ContextViewer
  /** Lines in the service's own log. */
  log: Log
  /** Aborted when the time of the call is over: nobody waits for it any more. */
  signal: AbortSignal
}

interface ContextViewer {
  /** The id of the account; null for someone unknown, an operator or a machine's key. */
  readonly id: string | null
  readonly roles: readonly string[]
  /** Whether a valid token or key came along. */
  readonly authenticated: boolean
}

export function contextFor({ account, roles, authenticated }: Viewer, log: Log, signal: AbortSignal): Context {
  return { viewer: { id: account, roles, authenticated }, log, signal }
}
