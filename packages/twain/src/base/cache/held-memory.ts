// Memory that is in use and can't be dropped, such as the plans of open subscriptions.
//
// 1. All clients together hold up to half of the capacity. Operators hold up to an eighth beside it.
// 2. A client holds up to an eighth. What is large also counts for the client's network, which holds up to an eighth: the
//    accounts of one network are one client.
// 3. What is small does not count for (2)'s network. If all clients together hold too much, the heaviest client of the
//    heaviest network loses its largest holding to a client that holds less. So a client with few small holdings is refused
//    only where nobody holds more.

export interface MemoryHolder {
  /** The account, token or network (`clientKey`). */
  client: string
  network: string
  isOperator: boolean
  /** Ends the use of what is held, because another client needs the memory. */
  end(): void
}

/** What is held, and by whom. The first holder counts for it; when that one releases it, the next one does. */
interface Holding {
  readonly what: object
  readonly bytes: number
  readonly isSmall: boolean
  readonly holders: Set<MemoryHolder>
  counted: MemoryHolder
}

interface HoldingClient {
  bytes: number
  readonly holdings: Set<Holding>
}

interface HoldingNetwork {
  bytes: number
  /** See 2. */
  largeBytes: number
  readonly clients: Map<string, HoldingClient>
}

const heldShare = 1 / 2
const clientShare = 1 / 8
const operatorShare = 1 / 8

export class HeldMemory {
  readonly #clients: HolderPool
  readonly #operators: HolderPool
  readonly #holdings = new Map<object, Holding>()
  readonly #onChange: (bytes: number) => void

  constructor(capacity: number, onChange: (bytes: number) => void) {
    this.#clients = new HolderPool(capacity * heldShare, capacity * clientShare)
    this.#operators = new HolderPool(capacity * operatorShare, capacity * operatorShare)
    this.#onChange = onChange
  }

  get bytes(): number {
    return this.#clients.bytes + this.#operators.bytes
  }

  /** Counts what is in use until its last holder releases it. False: too much is held, and nothing was counted. */
  hold(what: object, bytes: number, isSmall: boolean, holder: MemoryHolder): boolean {
    const held = this.#holdings.get(what)
    if (held !== undefined) {
      held.holders.add(holder)
      return true
    }
    const pool = this.#poolOf(holder)
    const holding: Holding = { what, bytes, isSmall, holders: new Set([holder]), counted: holder }
    if (!pool.fits(holding)) return false
    while (pool.isFull(bytes)) {
      const displaced = isSmall ? pool.displacedBy(holding) : null
      if (displaced === null) return false
      const { counted } = displaced
      this.release(displaced.what, counted)
      counted.end()
    }
    this.#holdings.set(what, holding)
    pool.add(holding)
    this.#onChange(bytes)
    return true
  }

  release(what: object, holder: MemoryHolder): void {
    const held = this.#holdings.get(what)
    if (held === undefined || !held.holders.delete(holder)) return
    if (held.counted !== holder) return
    this.#poolOf(holder).remove(held)
    const [next] = held.holders
    if (next === undefined) {
      this.#holdings.delete(what)
      this.#onChange(-held.bytes)
      return
    }
    held.counted = next
    this.#poolOf(next).add(held)
  }

  #poolOf({ isOperator }: MemoryHolder): HolderPool {
    return isOperator ? this.#operators : this.#clients
  }
}

/** The holdings that share a capacity, by network and client. */
class HolderPool {
  readonly #capacity: number
  readonly #clientCapacity: number
  readonly #networks = new Map<string, HoldingNetwork>()
  bytes = 0

  constructor(capacity: number, clientCapacity: number) {
    this.#capacity = capacity
    this.#clientCapacity = clientCapacity
  }

  isFull(bytes: number): boolean {
    return this.bytes + bytes > this.#capacity
  }

  /** Whether its client, and its network if it is large, have room for it (2). */
  fits({ bytes, isSmall, counted }: Holding): boolean {
    const network = this.#networks.get(counted.network)
    const ofClient = network?.clients.get(counted.client)?.bytes ?? 0
    if (ofClient + bytes > this.#clientCapacity) return false
    return isSmall || (network?.largeBytes ?? 0) + bytes <= this.#clientCapacity
  }

  /** See 3. Null: nobody holds more than the client of this holding would. */
  displacedBy({ bytes, counted }: Holding): Holding | null {
    const [name, network] = heaviest(this.#networks)!
    if (name !== counted.network && network.bytes <= bytes + (this.#networks.get(counted.network)?.bytes ?? 0))
      return null
    const [clientName, client] = heaviest(network.clients)!
    if (name === counted.network) {
      const own = clientName === counted.client ? client.bytes : (network.clients.get(counted.client)?.bytes ?? 0)
      if (client.bytes <= own + bytes) return null
    }
    return [...client.holdings].reduce((a, b) => (b.bytes > a.bytes ? b : a))
  }

  add(holding: Holding): void {
    const { bytes, isSmall, counted } = holding
    const network = this.#networks.get(counted.network) ?? { bytes: 0, largeBytes: 0, clients: new Map() }
    const client = network.clients.get(counted.client) ?? { bytes: 0, holdings: new Set() }
    this.#networks.set(counted.network, network)
    network.clients.set(counted.client, client)
    client.holdings.add(holding)
    client.bytes += bytes
    network.bytes += bytes
    if (!isSmall) network.largeBytes += bytes
    this.bytes += bytes
  }

  remove(holding: Holding): void {
    const { bytes, isSmall, counted } = holding
    const network = this.#networks.get(counted.network)!
    const client = network.clients.get(counted.client)!
    client.holdings.delete(holding)
    client.bytes -= bytes
    network.bytes -= bytes
    if (!isSmall) network.largeBytes -= bytes
    this.bytes -= bytes
    if (client.holdings.size === 0) network.clients.delete(counted.client)
    if (network.clients.size === 0) this.#networks.delete(counted.network)
  }
}

function heaviest<Weighed extends { bytes: number }>(all: ReadonlyMap<string, Weighed>): [string, Weighed] | null {
  let found: [string, Weighed] | null = null
  for (const one of all) if (one[1].bytes > (found?.[1].bytes ?? -1)) found = one
  return found
}
