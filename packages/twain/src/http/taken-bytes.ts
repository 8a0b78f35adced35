// How much of what was written to a socket the system has taken. Node's public counters know only whole writes, and a reply is
// one write of up to 16 MiB: a client that reads it slowly would look like one that does not read at all.

import type { Socket } from 'node:net'

/** The part of Node's handle that `net.Socket` itself uses for its timeouts. */
interface StreamHandle {
  readonly bytesWritten: number
  readonly writeQueueSize: number
}

export function takenBytes(socket: Socket): number {
  const { _handle: handle } = socket as Socket & { _handle?: StreamHandle | null }
  return handle ? handle.bytesWritten - handle.writeQueueSize : socket.bytesWritten - socket.writableLength
}
