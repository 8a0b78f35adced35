// Whether those whose streams are open still count: a token that has ended, an account that is gone or has other roles closes
// its streams within five seconds, on every node.
//
// 1. Who asks is believed for a second (`auth/viewers.ts`), a look begins every three, and asks for many at once: so ten
//    thousand are found out within five.
// 2. However many there are, others have their turn meanwhile. A look that takes longer than the pause is followed by the
//    next, and never met by it.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { ApiError, type MaybePromise, type Viewer } from '#base'

export interface LiveSession {
  viewer: Viewer
  /** Who it is as of now; throws, or rejects, when it is nobody any more. */
  reauthenticate(): MaybePromise<Viewer>
  /** It does not count any more, or may other things by now. */
  end(why: 'ended' | 'changed'): void
}

/** Milliseconds. */
const interval = 3000
/** As many as a database answers at once. */
const mostAtOnce = 50

export class LiveSessions {
  readonly #attendants = new Set<LiveSession>()
  #timer: NodeJS.Timeout | null = null
  #isLooking = false

  /** Gives what ends it. */
  add(attendant: LiveSession): () => void {
    this.#attendants.add(attendant)
    this.#timer ??= setInterval(() => void this.#look(), interval).unref()
    return () => {
      this.#attendants.delete(attendant)
      if (this.#attendants.size > 0 || this.#timer === null) return
      clearInterval(this.#timer)
      this.#timer = null
    }
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return
    this.#isLooking = true
    const all = [...this.#attendants]
    for (let from = 0; from < all.length; from += mostAtOnce) {
      await Promise.all(all.slice(from, from + mostAtOnce).map((attendant) => this.#ask(attendant)))
      await nextTurn()
    }
    this.#isLooking = false
  }

  async #ask(attendant: LiveSession): Promise<void> {
    if (!this.#attendants.has(attendant)) return
    try {
      const { reauthenticate: again, viewer } = attendant
      if (!isSame(await again(), viewer)) attendant.end('changed')
    } catch (error) {
      if (error instanceof ApiError && error.code === 'UNAUTHENTICATED') attendant.end('ended')
    }
  }
}

/** What a reader hears whose token has ended. */
export function tokenEnded(): ApiError {
  return new ApiError('UNAUTHENTICATED', 'The token has ended.')
}

function isSame(a: Viewer, b: Viewer): boolean {
  if (a === b) return true
  const sameRoles = a.roles.length === b.roles.length && a.roles.every((role, index) => role === b.roles[index])
  return sameRoles && a.account === b.account && a.authenticated === b.authenticated
}
