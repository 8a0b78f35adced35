// Waiting requests. Networks take turns, and so do the connections of a network; the requests of a connection keep their order.

interface TurnsRequest {
  readonly network: string
  readonly connection: object
}

export class RequestTurns<Request extends TurnsRequest> {
  /** The first network is next, and its first connection. */
  readonly #networks = new Map<string, Map<object, Request[]>>()
  count = 0

  push(request: Request): void {
    const { network, connection } = request
    this.count++
    const connections = this.#networks.get(network)
    const requests = connections?.get(connection)
    if (requests !== undefined) requests.push(request)
    else if (connections !== undefined) connections.set(connection, [request])
    else this.#networks.set(network, new Map([[connection, [request]]]))
  }

  /** There must be one. */
  take(): Request {
    const [network, connections] = firstOf(this.#networks)
    const [connection, requests] = firstOf(connections)
    this.count--
    const request = requests.shift()!
    connections.delete(connection)
    if (requests.length > 0) connections.set(connection, requests)
    if (connections.size === 0) this.#networks.delete(network)
    else if (this.#networks.size > 1) {
      this.#networks.delete(network)
      this.#networks.set(network, connections)
    }
    return request
  }
}

function firstOf<Key, Value>(map: ReadonlyMap<Key, Value>): readonly [Key, Value] {
  for (const first of map) return first
  throw new Error('nothing waits')
}
