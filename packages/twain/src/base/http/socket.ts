// A message socket as the adapters see it (a WebSocket in production), so that tests hold the other end without a port.

import type { HttpRequest } from './messages.ts'

export interface Socket {
  /** Never waits: `bufferedBytes` shows whether the peer reads. */
  send(text: string): void
  /** Bytes sent and not yet read by the peer. */
  readonly bufferedBytes: number
  /** Resolves when the buffer is empty or the socket is closed. */
  drained(): Promise<void>
  /** Closes once; later messages are dropped. */
  close(code: number, reason: string): void
}

/** The server's end of a socket. */
export interface SocketHandler {
  receive(text: string): void
  /** The peer is gone, or the server closed the socket. */
  closed(): void
}

/** Accepts a socket. The request is the one that opened it. */
export type SocketAcceptor = (request: HttpRequest, line: Socket) => SocketHandler
