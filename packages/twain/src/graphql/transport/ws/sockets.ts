// GraphQL over lines: a session for each, and what they need to know of who is at the other end.

import {
  ApiError,
  type Gauge,
  type HttpRequest,
  type MaybePromise,
  type Socket,
  type SocketHandler,
  type Viewer,
} from '#base'
import type { Events } from '#events'
import type { GraphqlDoor } from '../../graphql.ts'
import { Session } from './session.ts'

/** What the house tells about who asks. */
export interface SocketRequest {
  /** Rejects with a Fault UNAUTHENTICATED where the header is not good. */
  viewerOf(request: Pick<HttpRequest, 'headers' | 'query'>): MaybePromise<Viewer>
  /** One more request of this viewer; throws TOO_MANY_REQUESTS. */
  count(viewer: Viewer): void
  /** Work that the contract must not be swapped under. */
  inside<Result>(work: () => Promise<Result>): Promise<Result>
}

export interface GraphqlSockets {
  open(request: HttpRequest, line: Socket, asking: SocketRequest): SocketHandler
  gauges(): Gauge[]
  /** All clients come again: the server goes, or takes another contract. */
  restart(): void
}

export function createSockets(door: GraphqlDoor, events: Events): GraphqlSockets {
  const sessions = new Set<Session>()
  return {
    open(request, line, { viewerOf, count, inside }) {
      const session = new Session(line, {
        events,
        async enter(payload) {
          const asked = { headers: { ...request.headers, ...authorizationIn(payload) }, query: request.query }
          const again = () => viewerOf(asked)
          return { viewer: await again(), again }
        },
        operate: (payload, viewer) => inside(() => door.operate(payload, request, viewer)),
        errorsOf: (error) => door.errorsOf(error),
        count,
      })
      sessions.add(session)
      return {
        receive: (text) => session.receive(text),
        closed() {
          sessions.delete(session)
          session.closed()
        },
      }
    },
    gauges: () => [
      { name: 'graphql_lines', kind: 'gauge', about: 'WebSockets that are open.', value: () => sessions.size },
    ],
    restart() {
      for (const session of [...sessions]) session.restart()
    },
  }
}

/** In the greeting as in a header: browsers can send none with a WebSocket. */
function authorizationIn(payload: Readonly<Record<string, unknown>>): { authorization?: string } {
  const inside = payload.headers
  const headers = typeof inside === 'object' && inside !== null ? (inside as Record<string, unknown>) : {}
  const said = [payload, headers].flatMap(Object.entries).find(([name]) => name.toLowerCase() === 'authorization')?.[1]
  if (said === undefined || said === null) return {}
  if (typeof said === 'string') return { authorization: said }
  throw new ApiError('UNAUTHENTICATED', 'The authorization of the greeting must be a text.')
}
