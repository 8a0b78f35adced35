// Decides when each request of one connection begins. A client may send several requests before it has the first answer (pipelining).
// RFC 9112, 9.3.2 lets a server handle them in parallel only if all of them have safe methods.
//
// 1. An unsafe request begins when all earlier requests of its connection have been answered, and later ones begin when it has been
//    answered. Safe requests behind safe ones are handled in parallel, up to `maxOpen`.
// 2. A request has been answered when its reply was passed to the socket, or when its stream has ended. So an unsafe request behind an
//    event stream waits until the stream ends or the connection closes.
// 3. Requests that wait when their connection closes still get their turn, in their order. Most are not handled then (`exchange.ts`).
// 4. While more than `maxWaiting` requests wait, the server reads nothing from the connection: a client may send thousands in advance. One
//    packet may have a thousand of them. If all connections together have `maxWaitingOfAll`, such a connection is closed.
// 5. A request that is alone on its connection costs a few comparisons and no memory.
// 6. While the client has not taken `maxUnsentBytes` of the answers so far, no further request begins: a client that requests much and
//    reads nothing would fill the memory with answers.

const maxWaiting = 32
const maxWaitingOfAll = 4096
/** See 1. */
const maxOpen = 4
/** See 6. */
const maxUnsentBytes = 1_048_576

export interface OrderedRequest {
  /** Whether its method is safe (RFC 9110, 9.2.1). */
  readonly isSafe: boolean
  /** Only `ConnectionOrder` changes it. `none`: it has not entered the order. */
  turn: 'none' | 'waits' | 'came'
  /** Its turn has come after it had waited. Must not throw. */
  begin(): void
}

/** The part of a `net.Socket` that it needs. */
export interface PausableSocket {
  pause(): unknown
  resume(): unknown
  destroy(): unknown
  on(event: 'resume', listener: () => void): unknown
  off(event: 'resume', listener: () => void): unknown
}

export class ConnectionOrder {
  readonly #socket: PausableSocket
  readonly #all: { waiting: number }
  /** Requests that have begun and have not been answered: one unsafe request, or safe ones. */
  #open = 0
  #isUnsafeOpen = false
  /** Null: none waits (5). */
  #waiting: OrderedRequest[] | null = null
  #unsentBytes = 0
  #isBeginning = false
  /** Pauses the socket again; null: it is not paused. */
  #pauseAgain: (() => void) | null = null

  /** `all`: how many requests wait on all connections. */
  constructor(socket: PausableSocket, all: { waiting: number }) {
    this.#socket = socket
    this.#all = all
  }

  /** Whether the server reads nothing from the connection (4). */
  get isPaused(): boolean {
    return this.#pauseAgain !== null
  }

  /** Returns whether the request may begin at once. Otherwise calls its `begin` later. */
  enter(request: OrderedRequest): boolean {
    if (this.#waiting === null && this.#admits(request)) {
      this.#admit(request)
      return true
    }
    request.turn = 'waits'
    this.#waiting ??= []
    this.#waiting.push(request)
    this.#all.waiting++
    if (this.#waiting.length <= maxWaiting) return false
    if (this.#all.waiting > maxWaitingOfAll) this.#socket.destroy()
    else this.#pause()
    return false
  }

  /** The request was answered, perhaps before its turn or without one. */
  answered(request: OrderedRequest): void {
    if (request.turn === 'came') this.#open--
    if (this.#waiting === null) return
    if (request.turn === 'waits') {
      this.#waiting.splice(this.#waiting.indexOf(request), 1)
      this.#all.waiting--
    }
    this.#beginWaiting(this.#waiting)
  }

  /** The client has not taken so much of an answer yet; `taken` follows, unless the connection closes. */
  unsent(bytes: number): void {
    this.#unsentBytes += bytes
  }

  taken(bytes: number): void {
    this.#unsentBytes -= bytes
    if (this.#waiting !== null) this.#beginWaiting(this.#waiting)
  }

  /** The connection has closed: nothing waits for its client. */
  closed(): void {
    this.#unsentBytes = Number.NEGATIVE_INFINITY
    this.taken(0)
  }

  #admits({ isSafe }: OrderedRequest): boolean {
    if (this.#unsentBytes > maxUnsentBytes) return false
    return this.#open === 0 || (isSafe && !this.#isUnsafeOpen && this.#open < maxOpen)
  }

  #admit(request: OrderedRequest): void {
    request.turn = 'came'
    this.#open++
    this.#isUnsafeOpen = !request.isSafe
  }

  /** A request may be answered before its `begin` returns. The loop below goes on then, so that the stack does not grow. */
  #beginWaiting(waiting: OrderedRequest[]): void {
    if (this.#isBeginning) return
    this.#isBeginning = true
    while (waiting.length > 0 && this.#admits(waiting[0]!)) {
      const next = waiting.shift()!
      this.#all.waiting--
      this.#admit(next)
      next.begin()
    }
    this.#isBeginning = false
    if (waiting.length === 0) this.#waiting = null
    if (waiting.length <= maxWaiting / 2) this.#resume()
  }

  /** node:http resumes a socket at the end of each request and wherever it needs more of a body. */
  #pause(): void {
    if (this.#pauseAgain !== null) return
    this.#pauseAgain = () => this.#socket.pause()
    this.#socket.on('resume', this.#pauseAgain)
    this.#socket.pause()
  }

  #resume(): void {
    if (this.#pauseAgain === null) return
    this.#socket.off('resume', this.#pauseAgain)
    this.#pauseAgain = null
    this.#socket.resume()
  }
}
