// A TCP proxy between a store and its database. It can stop, freeze, lead to another server, and cut a connection at the bytes
// that it forwards.

import { createServer, connect as dial, type Server, type Socket } from 'node:net'

/** What the proxy does with bytes: forwards them; forwards so many and cuts the connection; or forwards so many and drops the
 *  others. */
export type ProxyAction = 'pass' | number | { first: number }
type ChooseAction = (bytes: Buffer) => ProxyAction

export class DatabaseProxy {
  readonly address: string
  /** For bytes that the store sends, and for bytes that the database sends. */
  choose: { store: ChooseAction; database: ChooseAction } = { store: () => 'pass', database: () => 'pass' }
  readonly #server: Server
  readonly #port: number
  readonly #sockets = new Set<Socket>()
  #isFrozen = false
  #target: URL

  static open(address: string): Promise<DatabaseProxy> {
    return new Promise((resolve) => {
      const server = createServer({ allowHalfOpen: true }) // a frozen proxy ignores the end of a connection too
      server.listen(0, '127.0.0.1', () => resolve(new DatabaseProxy(server, address)))
    })
  }

  private constructor(server: Server, address: string) {
    this.#server = server
    this.#port = (server.address() as { port: number }).port
    this.#target = new URL(address)
    const here = new URL(address)
    here.port = String(this.#port)
    this.address = here.href
    server.on('connection', (near) => this.#join(near, dial(Number(this.#target.port), this.#target.hostname)))
  }

  /** New connections lead to this server. */
  switchTo(address: string): void {
    this.#target = new URL(address)
    this.dropConnections()
  }

  #join(near: Socket, far: Socket): void {
    near.on('end', () => this.#isFrozen || near.end())
    near.on('data', (bytes) => this.#isFrozen || this.#pass(bytes, near, far, this.choose.store(bytes)))
    far.on('data', (bytes) => this.#pass(bytes, far, near, this.choose.database(bytes)))
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

  #pass(bytes: Buffer, from: Socket, to: Socket, action: ProxyAction): void {
    if (action === 'pass') to.write(bytes)
    else if (typeof action === 'object') to.write(bytes.subarray(0, action.first))
    else if (action === 0) from.destroy()
    else to.write(bytes.subarray(0, action), () => from.destroy())
  }

  freeze(): void {
    this.#isFrozen = true
  }

  /** The present ones; new ones may come. */
  dropConnections(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  stop(): Promise<void> {
    this.dropConnections()
    return new Promise((resolve) => this.#server.close(() => resolve()))
  }

  restart(): Promise<void> {
    this.#isFrozen = false
    return new Promise((resolve) => this.#server.listen(this.#port, '127.0.0.1', () => resolve()))
  }

  close(): Promise<void> {
    return this.stop()
  }
}
