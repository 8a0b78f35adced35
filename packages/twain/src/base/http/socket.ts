// A line: a connection that stays open and carries texts both ways, as the doors know it. They never see a socket, so tests
// hold the other end without a port.

import type { HttpRequest } from './messages.ts'

export interface Socket {
  /** Never waits: `waiting` tells whether the other side reads. */
  send(text: string): void
  /** Bytes that were sent and are not yet taken. */
  readonly bufferedBytes: number
  /** Resolves when all was taken, or the line is over. */
  drained(): Promise<void>
  /** Once; what is sent later goes nowhere. */
  close(code: number, reason: string): void
}

/** Who holds our end of a line. */
export interface SocketHandler {
  receive(text: string): void
  /** The other side is gone, or we have closed it. */
  closed(): void
}

/** A door for lines. The request is the one that opened it. */
export type SocketAcceptor = (request: HttpRequest, line: Socket) => SocketHandler
