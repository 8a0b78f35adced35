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
import type { GraphqlApi } from '../../graphql.ts'
import { WebSocketSession } from './session.ts'

/** What the house tells about who asks. */
export interface SocketServices {
  /** Rejects with a Fault UNAUTHENTICATED where the header is not good. */
  viewerOf(request: Pick<HttpRequest, 'headers' | 'query'>): MaybePromise<Viewer>
  /** One more request of this viewer; throws TOO_MANY_REQUESTS. */
  countRequest(viewer: Viewer): void
  /** Work that the contract must not be swapped under. */
  withCurrentModel<Result>(work: () => Promise<Result>): Promise<Result>
}

export interface GraphqlSockets {
  open(request: HttpRequest, socket: Socket, asking: SocketServices): SocketHandler
  gauges(): Gauge[]
  /** All clients come again: the server goes, or takes another contract. */
  restart(): void
}

export function createSockets(api: GraphqlApi, events: Events): GraphqlSockets {
  const sessions = new Set<WebSocketSession>()
  return {
    open(request, socket, { viewerOf, countRequest: count, withCurrentModel: inside }) {
      const session = new WebSocketSession(socket, {
        events,
        async authenticate(payload) {
          const asked = { headers: { ...request.headers, ...authorizationIn(payload) }, query: request.query }
          const again = () => viewerOf(asked)
          return { viewer: await again(), reauthenticate: again }
        },
        start: (payload, viewer) => inside(() => api.start(payload, request, viewer)),
        errorsOf: (error) => api.errorsOf(error),
        countRequest: count,
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
