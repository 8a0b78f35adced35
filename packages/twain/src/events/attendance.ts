// Whether those whose streams are open still count: a token that has ended, an account that is gone or has other roles closes
// its streams within five seconds, on every node.

import type { MaybePromise, Viewer } from '#base'

export interface Attendant {
  viewer: Viewer
  /** Who it is as of now; throws, or rejects, when it is nobody any more. */
  again(): MaybePromise<Viewer>
  /** It does not count any more, or may other things by now. */
  end(why: 'ended' | 'changed'): void
}

/** Milliseconds. Who asks is believed for a second (`auth/viewers.ts`), so that within five everybody is found out. */
const interval = 3000

export class Attendance {
  readonly #attendants = new Set<Attendant>()
  #timer: NodeJS.Timeout | null = null

  /** Gives what ends it. */
  add(attendant: Attendant): () => void {
    this.#attendants.add(attendant)
    this.#timer ??= setInterval(() => void this.#call(), interval).unref()
    return () => {
      this.#attendants.delete(attendant)
      if (this.#attendants.size > 0 || this.#timer === null) return
      clearInterval(this.#timer)
      this.#timer = null
    }
  }

  async #call(): Promise<void> {
    for (const attendant of [...this.#attendants]) {
      if (!this.#attendants.has(attendant)) continue
      try {
        const { again, viewer } = attendant
        const asked = again()
        const now = asked instanceof Promise ? await asked : asked
        if (!isSame(now, viewer)) attendant.end('changed')
      } catch (error) {
        if ((error as { code?: unknown }).code === 'UNAUTHENTICATED') attendant.end('ended')
      }
    }
  }
}

function isSame(a: Viewer, b: Viewer): boolean {
  if (a === b) return true
  const sameRoles = a.roles.length === b.roles.length && a.roles.every((role, index) => role === b.roles[index])
  return sameRoles && a.account === b.account && a.authenticated === b.authenticated
}
