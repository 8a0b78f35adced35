// How long sessions last: without use, and in all.

const dayMs = 24 * 60 * 60_000

export interface SessionSettings {
  /** How long a session can be renewed without use. */
  refreshTokenSeconds: number
  /** The same in days, in place of `refreshTokenSeconds`; null: that one counts. */
  sessionIdleDays: number | null
  /** How many days after its sign-in a session ends, however often it is used; null: never. */
  sessionMaxDays: number | null
}

export const defaultSessionSettings: SessionSettings = {
  refreshTokenSeconds: 30 * 24 * 60 * 60,
  sessionIdleDays: null,
  sessionMaxDays: null,
}

/** How long a session can be renewed without use. */
export function idleMs({ sessionIdleDays, refreshTokenSeconds }: SessionSettings): number {
  return sessionIdleDays === null ? refreshTokenSeconds * 1000 : sessionIdleDays * dayMs
}

/** When a session that began at this time ends, however often it is used. */
export function latestEnd(created: number, { sessionMaxDays }: SessionSettings): number {
  return sessionMaxDays === null ? Number.POSITIVE_INFINITY : created + sessionMaxDays * dayMs
}

/** When a session can no longer be renewed, if it is used now. */
export function renewableUntil(created: number, now: number, settings: SessionSettings): number {
  return Math.min(now + idleMs(settings), latestEnd(created, settings))
}

/** A sentence for each mistake. */
export function sessionMistakes(settings: SessionSettings): string[] {
  const { sessionIdleDays, refreshTokenSeconds } = settings
  const isSaidTwice = sessionIdleDays !== null && refreshTokenSeconds !== defaultSessionSettings.refreshTokenSeconds
  return isSaidTwice
    ? ['auth.sessionIdleDays and auth.refreshTokenSeconds set the same time; leave one of them out.']
    : []
}
