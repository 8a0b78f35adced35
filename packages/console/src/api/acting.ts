// As whom the console is shown: as nobody, as a role or as another account (`POST /tokens` with `as`).
//
// 1. It never changes while a page is open. To begin and to end it, the page is loaded anew: no row, cache, draft or running request of one
//    person is left for the other.
// 2. The session of the user stays beside it, and is used for nothing but beginning and ending.

import { failureIn, refreshSession, sendAsUser, session } from './session.ts'

/** As whom; null: as nobody. */
export type ActingAs = { account: string } | { role: string } | null

export interface Acting {
  as: ActingAs
  /** What the account or role is called; of the user, too. */
  name: string
  user: string
  /** Null: nobody has no session. */
  session: { id: string; token: string /** By the clock of this machine. */; endsAt: number } | null
  /** Null: it only reads. */
  reason: string | null
}

interface IssuedActing {
  id: string
  token: string
  expiresAt: string
}

const storageKey = 'twain.acting'
const endedKey = 'twain.acting.ended'

/** Null: the user is shown what they see themselves. */
export const acting: Acting | null = JSON.parse(sessionStorage.getItem(storageKey) ?? 'null')

export const isReadOnly: boolean = acting !== null && acting.reason === null

/** The name of whom the last session acted as, if it ended by itself. It is told once. */
export const endedName: string | null = takeEnded()

let isLeaving = false

/** Whether the page is about to be loaded anew. */
export function isPageLeaving(): boolean {
  return isLeaving
}

/** The token of every request. */
export function bearer(): string | null {
  return acting === null ? (session.value?.token ?? null) : (acting.session?.token ?? null)
}

/** After a 401. A session that acts is not renewed. */
export async function renewBearer(): Promise<void> {
  if (acting === null) return refreshSession()
  if (acting.session === null) return
  endActing(true)
  throw new Error('the session has ended')
}

/** Shows the console as somebody. With a reason the session may write. Throws with the sentence of the server. */
export async function beginActing(as: ActingAs, name: string, user: string, reason: string | null): Promise<void> {
  const issued = as === null ? null : await requestSession(as, reason)
  if (acting?.session) await endOnServer(acting.session.id)
  keep({ as, name, user, session: issued, reason: as === null ? null : reason })
}

/** `byItself`: the session has expired, or somebody ended it. */
export function endActing(byItself: boolean): void {
  if (acting === null || isLeaving) return
  if (byItself) sessionStorage.setItem(endedKey, acting.name)
  else if (acting.session !== null) void endOnServer(acting.session.id)
  keep(null)
}

/** Signs the user out, too. */
export async function endBoth(signOut: () => Promise<void>): Promise<void> {
  if (acting?.session) await endOnServer(acting.session.id)
  await signOut()
  if (acting !== null) keep(null)
}

function keep(next: Acting | null): void {
  if (next === null) sessionStorage.removeItem(storageKey)
  else sessionStorage.setItem(storageKey, JSON.stringify(next))
  isLeaving = true
  location.reload()
}

async function requestSession(as: object, reason: string | null): Promise<Acting['session']> {
  const reply = await sendAsUser('POST', '/tokens', { as, ...(reason !== null && { reason }) })
  const answer = (await reply.json()) as IssuedActing
  if (!reply.ok) throw failureIn(answer as object)
  const { id, token, expiresAt } = answer
  // The clocks of the server and of this machine may differ.
  const now = Date.parse(reply.headers.get('date') ?? '') || Date.now()
  return { id, token, endsAt: Date.now() + Date.parse(expiresAt) - now }
}

/** If it fails, the session ends by its time. */
async function endOnServer(id: string): Promise<void> {
  await sendAsUser('DELETE', `/tokens/${id}`).catch(() => {})
}

function takeEnded(): string | null {
  const name = sessionStorage.getItem(endedKey)
  sessionStorage.removeItem(endedKey)
  return name
}
