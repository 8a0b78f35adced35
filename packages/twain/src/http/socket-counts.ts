// Counts the open sockets of each client.

export class SocketCounts {
  readonly #counts = new Map<string, number>()
  readonly #max: number

  /** 0 is no limit. */
  constructor(max: number) {
    this.#max = max
  }

  /** False: the client has too many, and nothing was counted. */
  add(client: string): boolean {
    const count = this.#counts.get(client) ?? 0
    if (this.#max > 0 && count >= this.#max) return false
    this.#counts.set(client, count + 1)
    return true
  }

  remove(client: string): void {
    const count = this.#counts.get(client)! - 1
    if (count === 0) this.#counts.delete(client)
    else this.#counts.set(client, count)
  }
}
