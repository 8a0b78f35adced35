// A request on a socket, in the plain shape that the doors know. Nothing is copied until a door asks for the body.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { Fault, type HttpRequest } from '#base'

const nothing = new Uint8Array(0)

export class Incoming implements HttpRequest {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: HttpRequest['headers']
  readonly address: string
  /** The rest of the body is not wanted (too large, or never asked for): the connection can't be used again. */
  unwanted: boolean
  readonly #message: IncomingMessage
  readonly #limit: number
  /** Set while the client waits for `100 Continue` before it sends the body (RFC 9110, 10.1.1). */
  #waiting: ServerResponse | null

  constructor(message: IncomingMessage, limit: number, waiting: ServerResponse | null) {
    const target = originForm(message.url ?? '/')
    const mark = target.indexOf('?')
    this.method = message.method ?? 'GET'
    this.path = mark === -1 ? target : target.slice(0, mark)
    this.query = mark === -1 ? '' : target.slice(mark + 1)
    this.headers = message.headers as HttpRequest['headers'] // only `set-cookie` would be a list, and no client sends it
    this.address = message.socket.remoteAddress ?? ''
    this.unwanted = waiting !== null
    this.#message = message
    this.#limit = limit
    this.#waiting = waiting
  }

  body(): Promise<Uint8Array> {
    if (!this.#hasBody) return Promise.resolve(nothing)
    if (this.#isAnnouncedOver(this.#limit)) return Promise.reject(tooLarge(this.#limit, 'limits.body'))
    this.#want()
    return this.#collect()
  }

  async *stream(limit: number): AsyncIterable<Uint8Array> {
    if (!this.#hasBody) return
    if (this.#isAnnouncedOver(limit)) throw tooLarge(limit, 'limits.upload')
    this.#want()
    let size = 0
    try {
      // Whoever stops early does not destroy the message: its reply has still to be sent.
      for await (const chunk of this.#message.iterator({ destroyOnReturn: false })) {
        size += (chunk as Uint8Array).length
        if (limit > 0 && size > limit) throw tooLarge(limit, 'limits.upload')
        yield chunk as Uint8Array
      }
    } catch (error) {
      throw error instanceof Fault ? error : brokenOff()
    } finally {
      this.unwanted = !this.#message.complete
    }
  }

  get #hasBody(): boolean {
    return this.headers['content-length'] !== undefined || this.headers['transfer-encoding'] !== undefined
  }

  #isAnnouncedOver(limit: number): boolean {
    const isOver = limit > 0 && Number(this.headers['content-length']) > limit
    if (isOver) this.unwanted = true
    return isOver
  }

  #want(): void {
    this.#waiting?.writeContinue()
    this.#waiting = null
    this.unwanted = false
  }

  #collect(): Promise<Uint8Array> {
    const message = this.#message
    if (message.destroyed) return Promise.reject(brokenOff()) // no event will come any more
    return new Promise((resolve, reject) => {
      const chunks: Uint8Array[] = []
      let size = 0
      const take = (chunk: Uint8Array) => {
        size += chunk.length
        if (this.#limit > 0 && size > this.#limit) {
          this.unwanted = true
          message.off('data', take)
          chunks.length = 0
          return reject(tooLarge(this.#limit, 'limits.body'))
        }
        chunks.push(chunk)
      }
      message.on('data', take)
      message.on('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
      message.on('error', () => reject(brokenOff()))
    })
  }
}

/** A request target may be a whole URI (RFC 9112, 3.2.2); what counts is its path and query. */
function originForm(target: string): string {
  if (target.charCodeAt(0) === 47 /* / */) return target
  const absolute = /^https?:\/\/[^/?#]*/i.exec(target)
  if (absolute === null) return target
  const rest = target.slice(absolute[0].length)
  return rest.startsWith('/') ? rest : `/${rest}`
}

function tooLarge(limit: number, setting: string): Fault {
  return new Fault('PAYLOAD_TOO_LARGE', `The body is larger than ${limit} bytes.`, {
    hint: `The setting ${setting} says how large a body may be.`,
  })
}

function brokenOff(): Fault {
  return new Fault('BAD_REQUEST', 'The body broke off before its end.')
}
