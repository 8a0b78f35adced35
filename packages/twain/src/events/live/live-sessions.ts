// Monitors the viewers of open streams. Within five seconds it ends the streams of a viewer whose token ended, whose account
// was deleted or whose roles changed, on every node.
//
// 1. Authentication caches a viewer for one second (`auth/viewers.ts`). A check of all sessions starts every three seconds and
//    reauthenticates many at a time, so ten thousand sessions are checked within five seconds.
// 2. A check yields to other work between batches. Two checks never overlap: a slow one delays the next.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { ApiError, type MaybePromise } from '#base'
import type { Viewer } from '#base/http'
import { clearInterval, setInterval } from '#base/time'

export interface LiveSession {
  viewer: Viewer
  /** The viewer with current roles. Throws or rejects with UNAUTHENTICATED once the token ended. */
  reauthenticate(): MaybePromise<Viewer>
  /** `ended`: the token is no longer valid. `changed`: the viewer has other roles now. */
  end(why: 'ended' | 'changed'): void
}

const checkIntervalMs = 3000
/** About as many as a database answers concurrently. */
const maxConcurrentChecks = 50

export class LiveSessions {
  readonly #sessions = new Set<LiveSession>()
  #timer: NodeJS.Timeout | null = null
  #isChecking = false

  /** Returns the function that stops the monitoring. */
  monitor(session: LiveSession): () => void {
    this.#sessions.add(session)
    this.#timer ??= setInterval(() => void this.#checkAll(), checkIntervalMs).unref()
    return () => {
      this.#sessions.delete(session)
      if (this.#sessions.size > 0 || this.#timer === null) return
      clearInterval(this.#timer)
      this.#timer = null
    }
  }

  async #checkAll(): Promise<void> {
    if (this.#isChecking) return
    this.#isChecking = true
    const all = [...this.#sessions]
    for (let from = 0; from < all.length; from += maxConcurrentChecks) {
      await Promise.all(all.slice(from, from + maxConcurrentChecks).map((session) => this.#check(session)))
      await nextTurn()
    }
    this.#isChecking = false
  }

  async #check(session: LiveSession): Promise<void> {
    if (!this.#sessions.has(session)) return
    try {
      const { reauthenticate, viewer } = session
      if (!isSameViewer(await reauthenticate(), viewer)) session.end('changed')
    } catch (error) {
      if (error instanceof ApiError && error.code === 'UNAUTHENTICATED') session.end('ended')
    }
  }
}

export function tokenEnded(): ApiError {
  return new ApiError('UNAUTHENTICATED', 'The token has ended.')
}

function isSameViewer(a: Viewer, b: Viewer): boolean {
  if (a === b) return true
  const sameRoles = a.roles.length === b.roles.length && a.roles.every((role, index) => role === b.roles[index])
  const sameClaims = a.claims?.key === b.claims?.key
  return sameRoles && sameClaims && a.account === b.account && a.authenticated === b.authenticated
}
