// One client on a line, by the protocol `graphql-transport-ws` (graphql-ws, PROTOCOL.md): greeting, operations, goodbye.
//
// 1. What breaks the protocol closes the line with its code; what is wrong with an operation is an `error` of that one alone.
// 2. Nothing of an operation is sent after its `complete`, from whichever side that came.
// 3. What waits for a client that does not read is bounded: then the line is closed, and the client resumes.

import { ApiError, type MaybePromise, type Socket, type SocketHandler, type Viewer } from '#base'
import type { Delivered, EventReader, Events, Following } from '#events'
import type { ResponseError } from '../../document/response-errors.ts'
import type { OperationOutcome } from '../../execute/subscription.ts'
import { type ClientMessage, closeCodes, readMessage } from './messages.ts'

/** What a session asks of the rest of the house. */
export interface SessionOptions {
  events: Events
  /** Who it is, by what the greeting says; rejects with a Fault. */
  authenticate(payload: Readonly<Record<string, unknown>>): MaybePromise<SessionIdentity>
  start(payload: unknown, viewer: Viewer): Promise<OperationOutcome>
  errorsOf(error: unknown): readonly ResponseError[]
  /** Counts an operation as a request; throws TOO_MANY_REQUESTS. */
  countRequest(viewer: Viewer): void
}

export interface SessionIdentity {
  viewer: Viewer
  /** Who it is later on; throws when it is nobody any more. */
  reauthenticate(): MaybePromise<Viewer>
}

/** Milliseconds. */
const initTimeoutMs = 3000
/** Bytes that may wait for a client that does not read. */
const maxBufferedBytes = 1_048_576
/** Below this, what was missed is sent on. */
const resumeBufferedBytes = 262_144
const maxOperations = 100

export class WebSocketSession implements SocketHandler {
  readonly #socket: Socket
  readonly #options: SessionOptions
  #timer: NodeJS.Timeout | null
  #state: 'new' | 'entering' | 'open' | 'over' = 'new'
  #viewer: Viewer | null = null
  #endLiveSession: () => void = () => {}
  /** Null until the operation follows something. Made with the first: most lines of many never ask anything. */
  #operations: Map<string, Following | null> | null = null

  constructor(socket: Socket, parts: SessionOptions) {
    this.#socket = socket
    this.#options = parts
    this.#timer = setTimeout(
      () => this.#close(closeCodes.initTimeout, 'Connection initialisation timeout'),
      initTimeoutMs,
    )
  }

  receive(text: string): void {
    if (this.#state === 'over') return
    const message = readMessage(text)
    if (typeof message === 'string') this.#close(closeCodes.badRequest, message)
    else this.#handle(message)
  }

  closed(): void {
    if (this.#state === 'over') return
    this.#state = 'over'
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#endLiveSession()
    for (const following of this.#operations?.values() ?? []) following?.stop()
    this.#operations = null
  }

  /** The server goes, or takes another contract: the client comes again. */
  restart(): void {
    this.#close(closeCodes.restart, 'Service restart: come again, with the last cursor')
  }

  #handle(message: ClientMessage): void {
    switch (message.type) {
      case 'connection_init':
        void this.#initialise(message.payload)
        break
      case 'ping':
        this.#socket.send('{"type":"pong"}')
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
    this.#state = 'entering'
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    const { events } = this.#options
    try {
      const entered = await this.#options.authenticate(payload)
      const cursor = events.cursor(await events.position('now'))
      if (this.#isClosed()) return
      this.#viewer = entered.viewer
      if (entered.viewer.authenticated) this.#openLiveSession(entered)
      this.#state = 'open'
      this.#socket.send(`{"type":"connection_ack","payload":${JSON.stringify({ cursor })}}`)
    } catch (error) {
      if (error instanceof ApiError && error.code === 'UNAUTHENTICATED')
        this.#close(closeCodes.forbidden, error.message)
      else if (error instanceof ApiError && error.code === 'VALIDATION_FAILED') {
        this.#close(closeCodes.badRequest, error.message)
      } else if (error instanceof ApiError) this.#close(closeCodes.tryAgainLater, error.message)
      else this.#close(closeCodes.internal, this.#options.errorsOf(error)[0]?.message ?? 'Internal server error')
    }
  }

  #openLiveSession({ viewer, reauthenticate: again }: SessionIdentity): void {
    this.#endLiveSession = this.#options.events.attend({
      viewer,
      again,
      end: (why) =>
        why === 'ended'
          ? this.#close(closeCodes.forbidden, 'Forbidden: the token has ended')
          : this.#close(closeCodes.restart, 'Your rights have changed: come again, with the last cursor'),
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
      const operated = await operate(payload, viewer)
      if (operated.kind === 'answer') {
        if (!this.#isRunning(id)) return
        this.#send(id, operated.text)
        this.#complete(id)
        return
      }
      const position = await events.position(operated.after ?? 'now', operated.path)
      if (!this.#isRunning(id)) return
      this.#operations!.set(id, events.follow(this.#reader(id, operated.interests, viewer), position))
    } catch (error) {
      this.#fail(id, error)
    }
  }

  #reader(id: string, interests: EventReader['interests'], { account }: Viewer): EventReader {
    const head = `{"id":${JSON.stringify(id)},"type":"next","payload":`
    return {
      interests,
      account,
      take: (events) => this.#deliver(head, events),
      room: () => (this.#socket.bufferedBytes > resumeBufferedBytes ? this.#socket.drained() : null),
      end: (error) => (error === null ? this.restart() : this.#fail(id, error)),
    }
  }

  /** What waits from before counts, and not what comes now: much may come at once, for a client that reads well. */
  #deliver(head: string, events: readonly Delivered[]): void {
    if (this.#socket.bufferedBytes > maxBufferedBytes)
      this.#close(closeCodes.tryAgainLater, 'Too slow: resume with the last cursor')
    else for (const { text } of events) this.#socket.send(`${head}${text}}`)
  }

  #isRunning(id: string): boolean {
    return !this.#isClosed() && this.#operations?.has(id) === true
  }

  #isClosed(): boolean {
    return this.#state === 'over'
  }

  #send(id: string, payload: string): void {
    this.#deliver(`{"id":${JSON.stringify(id)},"type":"next","payload":`, [{ position: 0, cursor: '', text: payload }])
  }

  #complete(id: string): void {
    if (this.#operations?.delete(id) === true) this.#socket.send(`{"id":${JSON.stringify(id)},"type":"complete"}`)
  }

  #fail(id: string, error: unknown): void {
    if (this.#isClosed()) return
    const errors = JSON.stringify(this.#options.errorsOf(error))
    this.#operations?.delete(id)
    this.#socket.send(`{"id":${JSON.stringify(id)},"type":"error","payload":${errors}}`)
  }

  #close(code: number, reason: string): void {
    if (this.#isClosed()) return
    this.#socket.close(code, reason)
    this.closed()
  }
}

function tooManyOperations(): ApiError {
  return new ApiError('TOO_MANY_REQUESTS', `A connection may have ${maxOperations} operations at once.`)
}
