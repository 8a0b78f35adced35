// One client on a WebSocket, by the protocol `graphql-transport-ws` (graphql-ws, PROTOCOL.md).
//
// 1. A violation of the protocol closes the connection with its code. A mistake in an operation is an `error` of that operation.
// 2. The session sends nothing for an operation after its `complete`, whichever side sent that.
// 3. The buffer for a client that does not read is bounded. Beyond the bound the session closes, and the client resumes. A
//    ping is answered only while the buffer is small, and pings are counted.

import { ApiError, type MaybePromise } from '#base'
import type { Socket, SocketHandler, Viewer } from '#base/http'
import { clearTimeout, monotonicTime, setTimeout } from '#base/time'
import type { EventReader, Events, RenderedEvent, ValueReader } from '#events'
import type { ResponseError } from '../../document/response-errors.ts'
import type { OperationOutcome } from '../../execute/subscription.ts'
import { type ClientMessage, closeCodes, readMessage } from './messages.ts'

export interface SessionOptions {
  events: Events
  /** Authenticates the client by the payload of `connection_init`; rejects with an ApiError. */
  authenticate(payload: Readonly<Record<string, unknown>>): MaybePromise<SessionIdentity>
  start(payload: unknown, viewer: Viewer): Promise<OperationOutcome>
  errorsOf(error: unknown): readonly ResponseError[]
  /** Counts an operation as a request; throws TOO_MANY_REQUESTS. */
  countRequest(viewer: Viewer): void
  /** The client's IP address. */
  address: string
  /** The client that the socket counts for. */
  clientOf(viewer: Viewer): string
}

export interface SessionIdentity {
  viewer: Viewer
  /** The viewer as of now; throws if the credentials are no longer valid. */
  reauthenticate(): MaybePromise<Viewer>
}

const initTimeoutMs = 3000
/** The session closes if more is buffered for a client that does not read. */
const maxBufferedBytes = 1_048_576
/** The session reads on in the change log, and answers pings, when less is buffered. */
const resumeBufferedBytes = 262_144
/** In a minute. */
const maxPings = 600
const minuteMs = 60_000
const maxOperations = 100

export class WebSocketSession implements SocketHandler {
  readonly #socket: Socket
  readonly #options: SessionOptions
  #timer: NodeJS.Timeout | null
  #state: 'new' | 'initialising' | 'open' | 'closed' = 'new'
  #viewer: Viewer | null = null
  #endLiveSession: () => void = () => {}
  /** A running operation is null until it has a stream. Created with the first one: many connections stay idle. */
  #operations: Map<string, { stop(): void } | null> | null = null
  #pings = { count: 0, since: monotonicTime() }

  constructor(socket: Socket, options: SessionOptions) {
    this.#socket = socket
    this.#options = options
    this.#timer = setTimeout(
      () => this.#close(closeCodes.initTimeout, 'Connection initialisation timeout'),
      initTimeoutMs,
    )
  }

  receive(text: string): void {
    if (this.#state === 'closed') return
    const message = readMessage(text)
    if (typeof message === 'string') this.#close(closeCodes.badRequest, message)
    else this.#handle(message)
  }

  closed(): void {
    if (this.#state === 'closed') return
    this.#state = 'closed'
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#endLiveSession()
    for (const following of this.#operations?.values() ?? []) following?.stop()
    this.#operations = null
  }

  /** Closes with a code after which the client reconnects. */
  restart(): void {
    this.#close(closeCodes.restart, 'Service restart: reconnect with the last cursor')
  }

  #handle(message: ClientMessage): void {
    switch (message.type) {
      case 'connection_init':
        void this.#initialise(message.payload)
        break
      case 'ping':
        this.#answerPing()
        break
      case 'pong':
        break
      case 'subscribe':
        this.#subscribe(message.id, message.payload)
        break
      case 'complete':
        this.#operations?.get(message.id)?.stop()
        this.#operations?.delete(message.id)
        break
    }
  }

  async #initialise(payload: Readonly<Record<string, unknown>>): Promise<void> {
    if (this.#state !== 'new') {
      this.#close(closeCodes.tooManyInits, 'Too many initialisation requests')
      return
    }
    this.#state = 'initialising'
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    const { events } = this.#options
    try {
      const identity = await this.#options.authenticate(payload)
      const cursor = events.cursor(await events.point('now'))
      if (this.#isClosed()) return
      if (!this.#socket.acknowledge(this.#options.clientOf(identity.viewer))) {
        this.#close(closeCodes.tryAgainLater, 'Too many WebSockets of this client are open')
        return
      }
      this.#viewer = identity.viewer
      if (identity.viewer.authenticated) this.#openLiveSession(identity)
      this.#state = 'open'
      this.#put(`{"type":"connection_ack","payload":${JSON.stringify({ cursor })}}`)
    } catch (error) {
      // Custom code may refuse a sign-in with any code of the catalogue.
      if (error instanceof ApiError && isRefusal(error)) this.#close(closeCodes.forbidden, error.message)
      else if (error instanceof ApiError && error.code === 'VALIDATION_FAILED') {
        this.#close(closeCodes.badRequest, error.message)
      } else if (error instanceof ApiError) this.#close(closeCodes.tryAgainLater, error.message)
      else this.#close(closeCodes.internal, this.#options.errorsOf(error)[0]?.message ?? 'Internal server error')
    }
  }

  #openLiveSession({ viewer, reauthenticate }: SessionIdentity): void {
    this.#endLiveSession = this.#options.events.monitor({
      viewer,
      reauthenticate: reauthenticate,
      end: (why) =>
        why === 'ended'
          ? this.#close(closeCodes.forbidden, 'Forbidden: the token has expired')
          : this.#close(closeCodes.restart, 'Permissions changed: reconnect with the last cursor'),
    })
  }

  #subscribe(id: string, payload: unknown): void {
    this.#operations ??= new Map()
    if (this.#state !== 'open') this.#close(closeCodes.unauthorized, 'Unauthorized')
    else if (this.#operations.has(id)) this.#close(closeCodes.subscriberExists, `Subscriber for ${id} already exists`)
    else if (this.#operations.size >= maxOperations) this.#fail(id, tooManyOperations())
    else {
      this.#operations.set(id, null)
      void this.#start(id, payload, this.#viewer!)
    }
  }

  async #start(id: string, payload: unknown, viewer: Viewer): Promise<void> {
    const { start: operate, events, countRequest: count } = this.#options
    try {
      count(viewer)
      const outcome = await operate(payload, viewer)
      if (outcome.kind === 'response') {
        if (!this.#isRunning(id)) return
        this.#send(id, outcome.text)
        this.#complete(id)
        return
      }
      if (outcome.kind === 'values') {
        if (!this.#isRunning(id)) outcome.source.stop()
        else this.#operations!.set(id, events.followValues(outcome.source, this.#valueReader(id)))
        return
      }
      const point = await events.point(outcome.after ?? 'now', outcome.afterPath)
      if (!this.#isRunning(id)) return
      this.#operations!.set(id, events.follow(this.#reader(id, outcome.interests, viewer), point))
    } catch (error) {
      this.#fail(id, error)
    }
  }

  #valueReader(id: string): ValueReader {
    return {
      receive: (text) => this.#send(id, text),
      whenDrained: () => this.#whenDrained(),
      end: (how) => {
        if (how === 'complete') this.#complete(id)
        else if (how === 'restart') this.restart()
        else this.#fail(id, how.error)
      },
    }
  }

  #reader(id: string, interests: EventReader['interests'], viewer: Viewer): EventReader {
    const head = `{"id":${JSON.stringify(id)},"type":"next","payload":`
    return {
      interests,
      viewer,
      address: this.#options.address,
      receive: (events) => this.#deliver(head, events),
      whenDrained: () => this.#whenDrained(),
      end: (error) => (error === null ? this.restart() : this.#fail(id, error)),
    }
  }

  #whenDrained(): Promise<void> | null {
    return this.#socket.bufferedBytes > resumeBufferedBytes ? this.#socket.drained() : null
  }

  /** The check comes before sending: a client that reads fast may get many events in one batch. */
  #deliver(head: string, events: readonly Pick<RenderedEvent, 'text'>[]): void {
    if (this.#isTooSlow()) return
    for (const { text } of events) this.#socket.send(`${head}${text}}`)
  }

  #put(message: string): void {
    if (!this.#isTooSlow()) this.#socket.send(message)
  }

  /** Closes the session if the client does not read. */
  #isTooSlow(): boolean {
    if (this.#socket.bufferedBytes <= maxBufferedBytes) return false
    this.#close(closeCodes.tryAgainLater, 'Too slow: resume with the last cursor')
    return true
  }

  #answerPing(): void {
    const now = monotonicTime()
    if (now - this.#pings.since > minuteMs) this.#pings = { count: 0, since: now }
    if (++this.#pings.count > maxPings) this.#close(closeCodes.tryAgainLater, 'Too many pings')
    else if (this.#socket.bufferedBytes <= resumeBufferedBytes) this.#socket.send('{"type":"pong"}')
  }

  #isRunning(id: string): boolean {
    return !this.#isClosed() && this.#operations?.has(id) === true
  }

  #isClosed(): boolean {
    return this.#state === 'closed'
  }

  #send(id: string, payload: string): void {
    this.#deliver(`{"id":${JSON.stringify(id)},"type":"next","payload":`, [{ text: payload }])
  }

  #complete(id: string): void {
    if (this.#operations?.delete(id) === true) this.#put(`{"id":${JSON.stringify(id)},"type":"complete"}`)
  }

  #fail(id: string, error: unknown): void {
    if (this.#isClosed()) return
    const errors = JSON.stringify(this.#options.errorsOf(error))
    this.#operations?.delete(id)
    this.#put(`{"id":${JSON.stringify(id)},"type":"error","payload":${errors}}`)
  }

  #close(code: number, reason: string): void {
    if (this.#isClosed()) return
    this.#socket.close(code, reason)
    this.closed()
  }
}

function tooManyOperations(): ApiError {
  return new ApiError('TOO_MANY_REQUESTS', `A connection may run ${maxOperations} operations at the same time.`)
}

/** Whether the same request would be refused again. */
function isRefusal({ code, status }: ApiError): boolean {
  return status < 500 && code !== 'VALIDATION_FAILED' && code !== 'TOO_MANY_REQUESTS'
}
