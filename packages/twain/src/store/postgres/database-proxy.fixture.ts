// Stands between a store and its database: it can go away, and it can cut a connection at what it sees pass.

import { createServer, connect as dial, type Server, type Socket } from 'node:net'

/** What is done with bytes that pass: sent on; or so many of them, and then the connection is cut; or so many of them, and the
 *  others are dropped. */
export type Fate = 'pass' | number | { first: number }
type DecideFate = (bytes: Buffer) => Fate

export class DatabaseProxy {
  readonly address: string
  /** Of what the store says, and of what the database does. */
  deciders: { store: DecideFate; database: DecideFate } = { store: () => 'pass', database: () => 'pass' }
  readonly #server: Server
  readonly #port: number
  readonly #sockets = new Set<Socket>()
  #isDeaf = false

  static before(address: string): Promise<DatabaseProxy> {
    return new Promise((resolve) => {
      const server = createServer({ allowHalfOpen: true }) // one that is deaf hears no goodbye either
      server.listen(0, '127.0.0.1', () => resolve(new DatabaseProxy(server, address)))
    })
  }

  private constructor(server: Server, address: string) {
    this.#server = server
    this.#port = (server.address() as { port: number }).port
    const { hostname, port } = new URL(address)
    const here = new URL(address)
    here.port = String(this.#port)
    this.address = here.href
    server.on('connection', (near) => this.#join(near, dial(Number(port), hostname)))
  }

  #join(near: Socket, far: Socket): void {
    near.on('end', () => this.#isDeaf || near.end())
    near.on('data', (bytes) => this.#isDeaf || this.#pass(bytes, near, far, this.deciders.store(bytes)))
    far.on('data', (bytes) => this.#pass(bytes, far, near, this.deciders.database(bytes)))
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(one)
      one.on('error', () => undefined)
      one.on('close', () => {
        this.#sockets.delete(one)
        other.destroy()
      })
    }
  }

  #pass(bytes: Buffer, from: Socket, to: Socket, fate: Fate): void {
    if (fate === 'pass') to.write(bytes)
    else if (typeof fate === 'object') to.write(bytes.subarray(0, fate.first))
    else if (fate === 0) from.destroy()
    else to.write(bytes.subarray(0, fate), () => from.destroy())
  }

  deafen(): void {
    this.#isDeaf = true
  }

  /** Those that are there now; new ones may come. */
  cutAll(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  cut(): Promise<void> {
    this.cutAll()
    return new Promise((resolve) => this.#server.close(() => resolve()))
  }

  mend(): Promise<void> {
    this.#isDeaf = false
    return new Promise((resolve) => this.#server.listen(this.#port, '127.0.0.1', () => resolve()))
  }

  close(): Promise<void> {
    return this.cut()
  }
}
