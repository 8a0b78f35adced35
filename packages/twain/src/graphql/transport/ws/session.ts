// One client on a line, by the protocol `graphql-transport-ws` (graphql-ws, PROTOCOL.md): greeting, operations, goodbye.
//
// 1. What breaks the protocol closes the line with its code; what is wrong with an operation is an `error` of that one alone.
// 2. Nothing of an operation is sent after its `complete`, from whichever side that came.
// 3. What waits for a client that does not read is bounded: then the line is closed, and the client resumes.

import { ApiError, type MaybePromise, type Socket, type SocketHandler, type Viewer } from '#base'
import type { Delivered, EventReader, Events, Following } from '#events'
import type { ResponseError } from '../../document/request-errors.ts'
import type { Operated } from '../../execute/subscription.ts'
import { type ClientMessage, closing, readMessage } from './messages.ts'

/** What a session asks of the rest of the house. */
export interface SessionParts {
  events: Events
  /** Who it is, by what the greeting says; rejects with a Fault. */
  enter(payload: Readonly<Record<string, unknown>>): MaybePromise<Entered>
  operate(payload: unknown, viewer: Viewer): Promise<Operated>
  errorsOf(error: unknown): readonly ResponseError[]
  /** Counts an operation as a request; throws TOO_MANY_REQUESTS. */
  count(viewer: Viewer): void
}

export interface Entered {
  viewer: Viewer
  /** Who it is later on; throws when it is nobody any more. */
  again(): MaybePromise<Viewer>
}

/** Milliseconds. */
const initTime = 3000
/** Bytes that may wait for a client that does not read. */
const mostWaiting = 1_048_576
/** Below this, what was missed is sent on. */
const roomyWaiting = 262_144
const mostOperations = 100

export class Session implements SocketHandler {
  readonly #line: Socket
  readonly #parts: SessionParts
  #timer: NodeJS.Timeout | null
  #state: 'new' | 'entering' | 'open' | 'over' = 'new'
  #viewer: Viewer | null = null
  #stopAttending: () => void = () => {}
  /** Null until the operation follows something. Made with the first: most lines of many never ask anything. */
  #operations: Map<string, Following | null> | null = null

  constructor(line: Socket, parts: SessionParts) {
    this.#line = line
    this.#parts = parts
    this.#timer = setTimeout(() => this.#close(closing.initTimeout, 'Connection initialisation timeout'), initTime)
  }

  receive(text: string): void {
    if (this.#state === 'over') return
    const message = readMessage(text)
    if (typeof message === 'string') this.#close(closing.badRequest, message)
    else this.#handle(message)
  }

  closed(): void {
    if (this.#state === 'over') return
    this.#state = 'over'
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#stopAttending()
    for (const following of this.#operations?.values() ?? []) following?.stop()
    this.#operations = null
  }

  /** The server goes, or takes another contract: the client comes again. */
  restart(): void {
    this.#close(closing.restart, 'Service restart: come again, with the last cursor')
  }

  #handle(message: ClientMessage): void {
    switch (message.type) {
      case 'connection_init':
        void this.#enter(message.payload)
        break
      case 'ping':
        this.#line.send('{"type":"pong"}')
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

  async #enter(payload: Readonly<Record<string, unknown>>): Promise<void> {
    if (this.#state !== 'new') {
      this.#close(closing.tooManyInits, 'Too many initialisation requests')
      return
    }
    this.#state = 'entering'
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    const { events } = this.#parts
    try {
      const entered = await this.#parts.enter(payload)
      const cursor = events.cursor(await events.position('now'))
      if (this.#isOver()) return
      this.#viewer = entered.viewer
      if (entered.viewer.authenticated) this.#attend(entered)
      this.#state = 'open'
      this.#line.send(`{"type":"connection_ack","payload":${JSON.stringify({ cursor })}}`)
    } catch (error) {
      if (error instanceof ApiError && error.code === 'UNAUTHENTICATED') this.#close(closing.forbidden, error.message)
      else if (error instanceof ApiError && error.code === 'VALIDATION_FAILED') {
        this.#close(closing.badRequest, error.message)
      } else if (error instanceof ApiError) this.#close(closing.tryAgainLater, error.message)
      else this.#close(closing.internal, this.#parts.errorsOf(error)[0]?.message ?? 'Internal server error')
    }
  }

  #attend({ viewer, again }: Entered): void {
    this.#stopAttending = this.#parts.events.attend({
      viewer,
      again,
      end: (why) =>
        why === 'ended'
          ? this.#close(closing.forbidden, 'Forbidden: the token has ended')
          : this.#close(closing.restart, 'Your rights have changed: come again, with the last cursor'),
    })
  }

  #subscribe(id: string, payload: unknown): void {
    this.#operations ??= new Map()
    if (this.#state !== 'open') this.#close(closing.unauthorized, 'Unauthorized')
    else if (this.#operations.has(id)) this.#close(closing.subscriberExists, `Subscriber for ${id} already exists`)
    else if (this.#operations.size >= mostOperations) this.#fail(id, tooMany())
    else {
      this.#operations.set(id, null)
      void this.#operate(id, payload, this.#viewer!)
    }
  }

  async #operate(id: string, payload: unknown, viewer: Viewer): Promise<void> {
    const { operate, events, count } = this.#parts
    try {
      count(viewer)
      const operated = await operate(payload, viewer)
      if (operated.kind === 'answer') {
        if (!this.#isRunning(id)) return
        this.#send(id, operated.text)
        this.#complete(id)
        return
      }
      const position = await events.position(operated.after ?? 'now', operated.place)
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
      room: () => (this.#line.bufferedBytes > roomyWaiting ? this.#line.drained() : null),
      end: (fault) => (fault === null ? this.restart() : this.#fail(id, fault)),
    }
  }

  /** What waits from before counts, and not what comes now: much may come at once, for a client that reads well. */
  #deliver(head: string, events: readonly Delivered[]): void {
    if (this.#line.bufferedBytes > mostWaiting)
      this.#close(closing.tryAgainLater, 'Too slow: resume with the last cursor')
    else for (const { text } of events) this.#line.send(`${head}${text}}`)
  }

  #isRunning(id: string): boolean {
    return !this.#isOver() && this.#operations?.has(id) === true
  }

  #isOver(): boolean {
    return this.#state === 'over'
  }

  #send(id: string, payload: string): void {
    this.#deliver(`{"id":${JSON.stringify(id)},"type":"next","payload":`, [{ position: 0, cursor: '', text: payload }])
  }

  #complete(id: string): void {
    if (this.#operations?.delete(id) === true) this.#line.send(`{"id":${JSON.stringify(id)},"type":"complete"}`)
  }

  #fail(id: string, error: unknown): void {
    if (this.#isOver()) return
    const errors = JSON.stringify(this.#parts.errorsOf(error))
    this.#operations?.delete(id)
    this.#line.send(`{"id":${JSON.stringify(id)},"type":"error","payload":${errors}}`)
  }

  #close(code: number, reason: string): void {
    if (this.#isOver()) return
    this.#line.close(code, reason)
    this.closed()
  }
}

function tooMany(): ApiError {
  return new ApiError('TOO_MANY_REQUESTS', `A connection may have ${mostOperations} operations at once.`)
}
