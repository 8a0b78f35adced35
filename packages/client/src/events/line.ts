// A WebSocket that speaks `graphql-transport-ws` (the protocol of graphql-ws, PROTOCOL.md there), opened by the first
// subscription and closed after the last. When it ends, whoever is on it is told how; coming back is `subscriptions`' affair.

import type { Answer } from '../errors.ts'

export interface Sink {
  next(answer: Answer): void
  /** GraphQL errors, or how the line ended: `{ code }`. */
  error(reason: unknown): void
  complete(): void
}

export interface LineOptions {
  readonly url: string
  readonly webSocket: unknown
  /** What the line is greeted with. */
  greeting(): Promise<unknown>
  /** The greeting is answered. */
  opened(answer: unknown): void
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

/** Milliseconds. A line that says nothing for twice as long is dead, though nobody said so. */
const heartbeat = 10_000

export class Line {
  readonly #options: LineOptions
  readonly #sinks = new Map<string, [payload: unknown, sink: Sink]>()
  #socket: Socket | null = null
  #timer: ReturnType<typeof setInterval> | undefined
  #ids = 0
  isOpen = false

  constructor(options: LineOptions) {
    this.#options = options
  }

  /** What is returned ends it. */
  subscribe(payload: unknown, sink: Sink): () => void {
    const id = String(++this.#ids)
    this.#sinks.set(id, [payload, sink])
    if (this.isOpen) this.#send({ type: 'subscribe', id, payload })
    else this.#open()
    return () => {
      if (this.#sinks.delete(id) && this.isOpen) this.#send({ type: 'complete', id })
      this.#closeIfIdle()
    }
  }

  /** Ends it at once; nothing that it still has to say is heard. */
  terminate(): void {
    this.#end({ code: 4499 })
  }

  #open(): void {
    if (this.#socket !== null) return
    const { url, webSocket = WebSocket, greeting } = this.#options
    const socket = new (webSocket as new (url: string, protocol: string) => Socket)(url, 'graphql-transport-ws')
    this.#socket = socket
    const isOurs = () => this.#socket === socket
    let isSilent = false
    this.#timer = setInterval(() => {
      if (isSilent) return this.terminate()
      isSilent = true
      if (this.isOpen) this.#send({ type: 'ping' })
    }, heartbeat)
    socket.onopen = async () => {
      try {
        const payload = await greeting()
        if (isOurs()) this.#send({ type: 'connection_init', payload })
      } catch (error) {
        if (isOurs()) this.#end(error)
      }
    }
    socket.onmessage = ({ data }) => {
      isSilent = false
      if (isOurs()) this.#hear(JSON.parse(data) as Message)
    }
    socket.onclose = (event) => {
      if (isOurs()) this.#end({ code: event.code, reason: event.reason })
    }
    // It is closed then, and says so.
    socket.onerror = () => {}
  }

  #hear({ type, id = '', payload }: Message): void {
    const sink = this.#sinks.get(id)?.[1]
    if (type === 'ping') this.#send({ type: 'pong' })
    else if (type === 'next') sink?.next(payload as Answer)
    else if (type === 'connection_ack') {
      this.isOpen = true
      this.#options.opened(payload)
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
