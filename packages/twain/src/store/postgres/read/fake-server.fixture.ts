// A server that greets whoever comes, and says the rest as a test wants it: each turn says what is answered.

import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { bound, columns, complete, int32, parsed, ready, row, said } from './server-messages.fixture.ts'

/** What is answered to the n-th thing that a connection says; null: nothing. */
export type Turn = (socket: Socket, said: Buffer, at: number) => Buffer | null

export const greeting = Buffer.concat([
  said('R', int32(0)),
  said('S', 'server_version\x0018\0'),
  said('K', int32(1), int32(2)),
  ready,
])
/** To the driver's `SELECT 1`. */
export const one = Buffer.concat([columns(23), row('1'), complete, ready])
export const answer = Buffer.concat([parsed, said('t', '\0\0'), columns(25), bound, row('here'), complete, ready])

/** As a server does that has nothing against us. */
export const kind: Turn = (_, __, at) => [greeting, one, answer][Math.min(at, 2)]!

export class FakeServer {
  turn: Turn = kind
  readonly sockets = new Set<Socket>()
  readonly #server: Server

  static async start(turn: Turn = kind): Promise<FakeServer> {
    const server = createServer({ noDelay: true })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new FakeServer(server, turn)
  }

  private constructor(server: Server, turn: Turn) {
    this.#server = server
    this.turn = turn
    server.on('connection', (socket) => this.#serve(socket))
  }

  get address(): string {
    const { port } = this.#server.address() as { port: number }
    return `postgres://twain@127.0.0.1:${port}/fake`
  }

  #serve(socket: Socket): void {
    let at = 0
    this.sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => this.sockets.delete(socket))
    socket.on('data', (bytes) => {
      const goes = bytes[0] === 0x58 ? null : this.turn(socket, bytes, at++)
      if (goes !== null && !socket.destroyed) socket.write(goes)
    })
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy()
    this.#server.close()
    await once(this.#server, 'close')
  }
}
