// GraphQL over WebSockets: a session for each connection.

import { ApiError, type Gauge, type MaybePromise } from '#base'
import { clientKey, type HttpRequest, type Socket, type SocketHandler, type Viewer } from '#base/http'
import type { Events } from '#events'
import type { ResponseError } from '../../document/response-errors.ts'
import type { OperationOutcome } from '../../execute/subscription.ts'
import { WebSocketSession } from './session.ts'

/** The operations of the API. */
export interface SocketOperations {
  /** Runs or starts one operation. Rejects with an error for `errorsOf`. */
  start(payload: unknown, request: HttpRequest, viewer: Viewer): Promise<OperationOutcome>
  errorsOf(error: unknown): readonly ResponseError[]
}

/** What the server does for a session. */
export interface SocketServices {
  /** Rejects with the ApiError UNAUTHENTICATED if the credentials are invalid. */
  viewerOf(request: Pick<HttpRequest, 'headers' | 'query'>): MaybePromise<Viewer>
  /** Counts a request of this viewer; throws TOO_MANY_REQUESTS. */
  countRequest(viewer: Viewer): void
  /** Runs work during which the server must not switch to another schema. */
  withCurrentModel<Result>(work: () => Promise<Result>): Promise<Result>
}

export interface GraphqlSockets {
  open(request: HttpRequest, socket: Socket, services: SocketServices): SocketHandler
  gauges(): Gauge[]
  /** Closes all connections, so that clients reconnect: the server stops, or loads another schema. */
  restart(): void
}

export function createSockets(api: SocketOperations, events: Events): GraphqlSockets {
  const sessions = new Set<WebSocketSession>()
  return {
    open(request, socket, { viewerOf, countRequest: count, withCurrentModel: inside }) {
      const session = new WebSocketSession(socket, {
        events,
        async authenticate(payload) {
          const credentials = { headers: { ...request.headers, ...authorizationIn(payload) }, query: request.query }
          const reauthenticate = () => viewerOf(credentials)
          return { viewer: await reauthenticate(), reauthenticate }
        },
        start: (payload, viewer) => inside(() => api.start(payload, request, viewer)),
        errorsOf: (error) => api.errorsOf(error),
        countRequest: count,
        address: request.address,
        clientOf: (viewer) => clientKey(viewer, request.address),
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
      {
        name: 'websocket_connections',
        kind: 'gauge',
        about: 'Open WebSocket connections.',
        value: () => sessions.size,
      },
    ],
    restart() {
      for (const session of [...sessions]) session.restart()
    },
  }
}

/** The `connection_init` message may have the header: browsers can't send one with a WebSocket. */
function authorizationIn(payload: Readonly<Record<string, unknown>>): { authorization?: string } {
  const nested = payload.headers
  const headers = typeof nested === 'object' && nested !== null ? (nested as Record<string, unknown>) : {}
  const authorization = [payload, headers]
    .flatMap(Object.entries)
    .find(([name]) => name.toLowerCase() === 'authorization')?.[1]
  if (authorization === undefined || authorization === null) return {}
  if (typeof authorization === 'string') return { authorization }
  throw new ApiError('UNAUTHENTICATED', 'The authorization of connection_init must be a string.')
}
