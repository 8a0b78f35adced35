// A client that calls through a proxy, by TLS and from its own address (127.N.0.1), so that proxies can tell clients apart.

import { readFileSync } from 'node:fs'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import { join } from 'node:path'
import { addAbortSignal, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { WebSocket } from 'ws'

const ca = readFileSync(join(import.meta.dirname, '../../harness/certificates/ca.crt'))

export interface Reply {
  status: number
  headers: IncomingHttpHeaders
  bytes: Buffer
}

type Headers = Record<string, string>

export class Client {
  readonly origin: string
  readonly address: string
  readonly #agent: Agent

  constructor(port: number, number: number) {
    this.origin = `https://localhost:${port}`
    this.address = `127.${number}.0.1`
    this.#agent = new Agent({ keepAlive: true, ca, localAddress: this.address, family: 4 })
  }

  /** Rejects when the connection breaks off. */
  async ask(method: string, path: string, headers: Headers = {}, body: string | Buffer = ''): Promise<Reply> {
    const message = await this.#send(method, path, headers, body)
    return { status: message.statusCode!, headers: message.headers, bytes: await buffer(message) }
  }

  async askJson(method: string, path: string, value: unknown, headers: Headers = {}): Promise<Reply> {
    return this.ask(method, path, { 'content-type': 'application/json', ...headers }, JSON.stringify(value))
  }

  /** An answer that is read as it arrives, until the signal aborts it. */
  async open(method: string, path: string, headers: Headers, body: string, signal: AbortSignal): Promise<Response> {
    const message = await this.#send(method, path, headers, body)
    addAbortSignal(signal, message)
    return new Response(Readable.toWeb(message) as ReadableStream, { status: message.statusCode! })
  }

  /** For graphql-ws, as a page of the same origin. */
  get sockets(): typeof WebSocket {
    const { address: localAddress, origin } = this
    return class extends WebSocket {
      constructor(url: string | URL, protocols?: string | string[]) {
        super(url, protocols, { ca, localAddress, family: 4, origin } as WebSocket.ClientOptions)
      }
    } as typeof WebSocket
  }

  close(): void {
    this.#agent.destroy()
  }

  #send(method: string, path: string, headers: Headers, body: string | Buffer): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const sent = request(`${this.origin}${path}`, { method, headers, agent: this.#agent }, resolve)
      sent.on('error', reject)
      sent.end(body)
    })
  }
}
