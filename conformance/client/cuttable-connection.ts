// A connection between client and server that can be cut: everything on it ends at once, and nothing passes until it is restored.

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

export class CuttableConnection {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #isCut = false
  readonly address: string
  /** How many connections were attempted. */
  tried = 0

  private constructor(server: Server) {
    this.#server = server
    this.address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  static async open(to: string): Promise<CuttableConnection> {
    const { port } = new URL(to)
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const connection = new CuttableConnection(server)
    server.on('connection', (socket) => connection.#take(socket, Number(port)))
    return connection
  }

  #take(socket: Socket, port: number): void {
    this.tried++
    if (this.#isCut) {
      socket.resetAndDestroy()
      return
    }
    const other = connect(port, '127.0.0.1')
    for (const [one, two] of [
      [socket, other],
      [other, socket],
    ] as const) {
      this.#sockets.add(one)
      one.pipe(two)
      one.on('error', () => two.destroy())
      one.on('close', () => {
        this.#sockets.delete(one)
        two.destroy()
      })
    }
  }

  cut(): void {
    this.#isCut = true
    for (const socket of this.#sockets) socket.destroy()
  }

  mend(): void {
    this.#isCut = false
  }

  async close(): Promise<void> {
    this.cut()
    this.#server.close()
    await once(this.#server, 'close')
  }
}
