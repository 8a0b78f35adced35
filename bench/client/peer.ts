// The interface of each client in the benchmark.

export type Row = Record<string, unknown>

export interface PeerQuery {
  /** Peers parse a text once, as an application does. */
  text: string
  variables?: Row
}

/** A client with an empty cache. The benchmark uses each client's public API, without a network. */
export interface Peer {
  /** Writes a response of the server and returns the result for the application. */
  answer(query: PeerQuery, data: Row): unknown
  /** Reads the cache. */
  read(query: PeerQuery): unknown
  /** Calls the listener after each change of the cached result. */
  watch(query: PeerQuery, listener: (data: unknown) => void): void
  /** Writes a new response for the same query, for another caller than the watchers. */
  change(query: PeerQuery, data: Row): void
}
