// Tickets for clients that can't send headers (EventSource): `?ticket=` opens one stream as the viewer who created the ticket.
//
// 1. URLs appear in logs and histories, so a ticket opens one stream, within a minute of its creation.
// 2. The stream reconnects with a proof that is part of its event ids, which browsers send back as `Last-Event-ID` (HTML,
//    9.2.4). The URL alone is not enough.
// 3. The stream has the current permissions of its viewer, while the session is valid, for one day at most.
// 4. The store has only hashes of tickets.

import { validationError } from '#base'
import type { HttpRequest } from '#base/http'
import { randomBytes } from '#base/time'
import type { CredentialStore } from '#store'
import { invalidTicket } from '../auth-errors.ts'
import type { IssuedTicket } from '../tokens.ts'
import { hashSecret } from './hash-secret.ts'
import type { Identity } from './identity.ts'

const useWithinMs = 60_000
const reconnectWithinMs = 24 * 60 * 60_000

/** Separates the cursor and the proof in an event id. */
const divider = '~'

export interface UsedTicket {
  identity: Identity
  /** Appended to each event id. */
  eventIdSuffix: string
}

/** The parts of a request that authentication reads. */
export type TicketRequest = Pick<HttpRequest, 'headers'> &
  Partial<Pick<HttpRequest, 'method' | 'path' | 'query' | 'context'>>

const ticketPattern = /(?:^|&)ticket=([^&]*)/g

/** The ticket of an event stream, on one of these paths; null without one. Throws if the request has two credentials or is not a stream. */
export function readTicket(
  { path, query, headers }: TicketRequest,
  streamPaths: ReadonlySet<string | undefined>,
): string | null {
  if (query === undefined || !query.includes('ticket=') || !streamPaths.has(path)) return null
  const [ticket, ...more] = Array.from(query.matchAll(ticketPattern), ([, value]) => value!)
  if (ticket === undefined) return null
  if (more.length > 0) throw ticketProblem('appears more than once.')
  if (headers.authorization !== undefined) throw ticketProblem('must not be combined with an authorization header.')
  if (headers.accept?.includes('text/event-stream') !== true) {
    throw ticketProblem('is only for streams (Accept: text/event-stream).')
  }
  return ticket
}

function ticketProblem(message: string) {
  return validationError([{ path: 'ticket', code: 'UNKNOWN', message }])
}

export class Tickets {
  readonly #credentials: CredentialStore
  readonly #clock: () => number

  constructor(credentials: CredentialStore, clock: () => number) {
    this.#credentials = credentials
    this.#clock = clock
  }

  async make(identity: Identity): Promise<IssuedTicket> {
    const now = this.#clock()
    const ticket = randomText(32)
    const text = JSON.stringify({ ...identity, expires: expiryOf(identity, now) })
    const id = hashSecret(ticket)
    await this.#credentials.createTicket({ hash: id, identity: text, expires: now + useWithinMs })
    return { id, ticket, expiresAt: new Date(now + useWithinMs).toISOString() }
  }

  /** Opens a new stream, or one that reconnects with its last event id. */
  async use(ticket: string, lastEventId: string | undefined): Promise<UsedTicket> {
    const now = this.#clock()
    const hash = hashSecret(ticket)
    const [, sentProof] = lastEventId?.split(divider) ?? []
    const proof = sentProof ?? randomText(16)
    const identity =
      sentProof === undefined
        ? await this.#credentials.useTicket(hash, proof, now, now + reconnectWithinMs)
        : await this.#credentials.findTicket(hash, proof, now)
    if (identity === null) throw invalidTicket()
    return { identity: JSON.parse(identity) as Identity, eventIdSuffix: divider + proof }
  }
}

/** A session is checked for each use, so its ticket may outlive the access token. Other identities end with their token. */
function expiryOf(identity: Identity, now: number): number {
  const latest = now + reconnectWithinMs
  return identity.kind === 'access' ? latest : Math.min(identity.expires, latest)
}

function randomText(bytes: number): string {
  return randomBytes(bytes).toString('base64url')
}
