// Limits the reads that may take long, so that short ones never wait for them: they use at most half of the connections, and
// those of one client at most two. A read that was short before may be long this time, with other values. So a client has two
// of those at once, and further ones count as long.

/** Connections for the long reads of one client. */
const maxRunningOfClient = 2
/** Further ones of a client are refused. */
const maxWaitingOfClient = 200

interface ClientReads {
  running: number
  /** Reads that run and were short before. */
  short: number
  waiting: number
}

export class LongReads {
  readonly #maxRunning: number
  readonly #clients = new Map<string, ClientReads>()
  #running = 0

  /** `size`: the connections of the pool. */
  constructor(size: number) {
    this.#maxRunning = Math.max(1, Math.floor(size / 2))
  }

  /** Begins a read if there is a connection for it. */
  begin(client: string): boolean {
    const reads = this.#of(client)
    if (this.#running >= this.#maxRunning || reads.running >= maxRunningOfClient) return false
    this.#running++
    reads.running++
    return true
  }

  end(client: string): void {
    const reads = this.#of(client)
    this.#running--
    reads.running--
    this.#forget(client, reads)
  }

  /** Begins a read that was short before. False: it counts as long. */
  beginShort(client: string): boolean {
    const reads = this.#of(client)
    if (reads.short >= maxRunningOfClient) return false
    reads.short++
    return true
  }

  endShort(client: string): void {
    const reads = this.#of(client)
    reads.short--
    this.#forget(client, reads)
  }

  /** False: too many of this client wait already. */
  wait(client: string): boolean {
    const reads = this.#of(client)
    if (reads.waiting >= maxWaitingOfClient) return false
    reads.waiting++
    return true
  }

  /** A read waits no longer. */
  leave(client: string): void {
    const reads = this.#of(client)
    reads.waiting--
    this.#forget(client, reads)
  }

  #of(client: string): ClientReads {
    const known = this.#clients.get(client) ?? { running: 0, short: 0, waiting: 0 }
    this.#clients.set(client, known)
    return known
  }

  #forget(client: string, { running, short, waiting }: ClientReads): void {
    if (running + short + waiting === 0) this.#clients.delete(client)
  }
}
