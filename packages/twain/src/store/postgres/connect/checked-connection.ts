// A connection of the driver that survives any server: a malformed message, or one that may not come now, ends this connection
// and nothing else.

import { CheckedMessages } from './checked-messages.ts'
import { driver, type MessageSource } from './driver.ts'

const flush = Buffer.from([0x48, 0, 0, 0, 4])

export class CheckedConnection extends driver.Connection {
  /** Called for each message before the driver gets it; may throw. */
  onMessage: ((kind: number, bytes: Buffer, at: number) => void) | null = null
  /** Called when the driver has handled the messages that came together. */
  onHandled: (() => void) | null = null
  /** The server takes no encrypted connections. */
  isTlsRefused = false
  readonly #requestsTls: boolean
  /** The messages since `cork`. */
  #corked: Buffer[] | null = null

  constructor(options: ConstructorParameters<typeof driver.Connection>[0]) {
    super(options)
    this.#requestsTls = options.ssl !== false && options.sslNegotiation !== 'direct'
  }

  override connect(port: number | string, host?: string): void {
    super.connect(port, host)
    if (!this.#requestsTls) return
    // The driver reads this answer too.
    this.stream.prependOnceListener('data', (bytes) => {
      this.isTlsRefused = bytes.length === 1 && bytes[0] === 0x4e
    })
  }

  /** Sends the messages until `uncork` in one piece: several pieces in one system call take longer than to join them. */
  cork(): void {
    this.#corked = []
  }

  uncork(): void {
    const messages = this.#corked!
    this.#corked = null
    this._send(Buffer.concat(messages))
  }

  override flush(): void {
    this._send(flush)
  }

  override _send(message: Buffer): boolean {
    if (this.#corked === null) return super._send(message)
    this.#corked.push(message)
    return true
  }

  /** `stream` is the socket, encrypted if it has to be. */
  override attachListeners(stream: MessageSource): void {
    const messages = new CheckedMessages()
    super.attachListeners({
      on: (event, listener) =>
        stream.on(event, event === 'data' ? (bytes) => this.#receive(messages, bytes, listener) : listener),
    })
  }

  #receive(messages: CheckedMessages, bytes: Buffer, handle: (messages: Buffer) => void): void {
    if (this.stream.destroyed) return // it may still deliver data
    try {
      const whole = messages.take(bytes, this.onMessage)
      if (whole === null) return
      handle(whole)
    } catch (error) {
      this.stream.destroy()
      this.emit('error', error)
      return
    }
    this.onHandled?.()
  }
}
