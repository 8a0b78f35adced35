// A WebSocket with the protocol `graphql-transport-ws` (PROTOCOL.md of graphql-ws). The first subscription opens it, and it
// closes after the last. When it ends, each subscription gets the reason; `subscriptions` reconnects.

import type { Answer } from '../errors.ts'

export interface SubscriptionSink {
  next(answer: Answer): void
  /** GraphQL errors, or the close code of the connection: `{ code }`. */
  error(reason: unknown): void
  complete(): void
}

export interface SocketConnectionOptions {
  readonly url: string
  readonly webSocket: unknown
  /** The payload of `connection_init`. */
  initPayload(): Promise<unknown>
  /** Called with the payload of `connection_ack`. */
  onAck(answer: unknown): void
}

/** The part of WebSocket that is used. */
interface Socket {
  onopen: () => void
  onmessage: (event: { data: string }) => void
  onclose: (event: { code: number; reason: string }) => void
  onerror: () => void
  send(text: string): void
  close(code?: number): void
}

interface Message {
  type: string
  id?: string
  payload?: unknown
}

/** A connection without a message for twice this time is dead, even without a close event. */
const heartbeatMs = 10_000

export class SocketConnection {
  readonly #options: SocketConnectionOptions
  readonly #sinks = new Map<string, [payload: unknown, sink: SubscriptionSink]>()
  #socket: Socket | null = null
  #timer: ReturnType<typeof setInterval> | undefined
  #ids = 0
  isOpen = false

  constructor(options: SocketConnectionOptions) {
    this.#options = options
  }

  /** The returned function ends the subscription. */
  subscribe(payload: unknown, sink: SubscriptionSink): () => void {
    const id = String(++this.#ids)
    this.#sinks.set(id, [payload, sink])
    if (this.isOpen) this.#send({ type: 'subscribe', id, payload })
    else this.#open()
    return () => {
      if (this.#sinks.delete(id) && this.isOpen) this.#send({ type: 'complete', id })
      this.#closeIfIdle()
    }
  }

  /** Ends the connection at once and ignores all further messages. */
  terminate(): void {
    this.#end({ code: 4499 })
  }

  #open(): void {
    if (this.#socket !== null) return
    const { url, webSocket = WebSocket, initPayload: greeting } = this.#options
    const socket = new (webSocket as new (url: string, protocol: string) => Socket)(url, 'graphql-transport-ws')
    this.#socket = socket
    const isCurrent = () => this.#socket === socket
    let isSilent = false
    this.#timer = setInterval(() => {
      if (isSilent) return this.terminate()
      isSilent = true
      if (this.isOpen) this.#send({ type: 'ping' })
    }, heartbeatMs)
    socket.onopen = async () => {
      try {
        const payload = await greeting()
        if (isCurrent()) this.#send({ type: 'connection_init', payload })
      } catch (error) {
        if (isCurrent()) this.#end(error)
      }
    }
    socket.onmessage = ({ data }) => {
      isSilent = false
      if (isCurrent()) this.#receive(JSON.parse(data) as Message)
    }
    socket.onclose = (event) => {
      if (isCurrent()) this.#end({ code: event.code, reason: event.reason })
    }
    // A close event follows every error.
    socket.onerror = () => {}
  }

  #receive({ type, id = '', payload }: Message): void {
    const sink = this.#sinks.get(id)?.[1]
    if (type === 'ping') this.#send({ type: 'pong' })
    else if (type === 'next') sink?.next(payload as Answer)
    else if (type === 'connection_ack') {
      this.isOpen = true
      this.#options.onAck(payload)
      for (const [id, [payload]] of this.#sinks) this.#send({ type: 'subscribe', id, payload })
    } else if (type === 'error' || type === 'complete') {
      this.#sinks.delete(id)
      if (type === 'error') sink?.error(payload)
      else sink?.complete()
      this.#closeIfIdle()
    }
  }

  #send(message: Message): void {
    this.#socket?.send(JSON.stringify(message))
  }

  #closeIfIdle(): void {
    if (this.#sinks.size === 0) this.#end(null)
  }

  #end(reason: unknown): void {
    const sinks = [...this.#sinks.values()]
    clearInterval(this.#timer)
    this.#socket?.close()
    this.#socket = null
    this.isOpen = false
    this.#sinks.clear()
    for (const [, sink] of sinks) sink.error(reason)
  }
}
