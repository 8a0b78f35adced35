// Tickets: for what can send no header (EventSource), a word in the address that lets one stream in, as whoever asked for it.
//
// 1. Addresses stand in logs and histories, so a ticket opens a stream once, within a minute of being made.
// 2. The stream is known again when it reconnects by a proof that stands behind the ids of its events, which browsers send
//    back as `Last-Event-ID` (HTML, 9.2.4): who knows the address alone has nothing.
// 3. It gives what its maker may as of now: the signing in that it was asked with must still stand, and it lasts for a day.
// 4. Only hashes of tickets are kept.

import { createHash, randomBytes } from 'node:crypto'
import type { CredentialStore } from '#store'
import { invalidTicket } from './auth-errors.ts'
import type { Identity } from './identity.ts'
import type { IssuedTicket } from './tokens.ts'

/** Milliseconds. */
const timeToUse = 60_000
const timeToReconnect = 24 * 60 * 60_000

/** Between the cursor and the proof in the id of an event. */
const divider = '~'

export interface UsedTicket {
  identity: Identity
  /** To be put behind the id of each event. */
  eventIdSuffix: string
}

export class Tickets {
  readonly #vault: CredentialStore
  readonly #clock: () => number

  constructor(credentials: CredentialStore, clock: () => number) {
    this.#vault = credentials
    this.#clock = clock
  }

  async make(identity: Identity): Promise<IssuedTicket> {
    const now = this.#clock()
    const ticket = randomText(32)
    const kept = JSON.stringify({ ...identity, expires: lastsUntil(identity, now) })
    const id = hashOf(ticket)
    await this.#vault.createTicket({ hash: id, identity: kept, expires: now + timeToUse }, now)
    return { id, ticket, expiresAt: new Date(now + timeToUse).toISOString() }
  }

  /** By a new stream, or by one that comes again with the last id that it got. */
  async use(ticket: string, lastEventId: string | undefined): Promise<UsedTicket> {
    const now = this.#clock()
    const hash = hashOf(ticket)
    const [, known] = lastEventId?.split(divider) ?? []
    const proof = known ?? randomText(16)
    const identity =
      known === undefined
        ? await this.#vault.useTicket(hash, proof, now, now + timeToReconnect)
        : await this.#vault.findTicket(hash, proof, now)
    if (identity === null) throw invalidTicket()
    return { identity: JSON.parse(identity) as Identity, eventIdSuffix: divider + proof }
  }
}

/** A signing in stands, or does not, by itself: the ticket needs not end with the token of a quarter of an hour. */
function lastsUntil(identity: Identity, now: number): number {
  const most = now + timeToReconnect
  return identity.kind === 'access' ? most : Math.min(identity.expires, most)
}

function randomText(bytes: number): string {
  return randomBytes(bytes).toString('base64url')
}

function hashOf(ticket: string): string {
  return createHash('sha256').update(ticket).digest('base64url')
}
