// What the bench asks of each client, in words that all of them understand.

export type Row = Record<string, unknown>

export interface Question {
  /** Peers parse a text once, as an application does. */
  text: string
  variables?: Row
}

/** A client with an empty cache. Each is driven by what it offers to applications, without a network. */
export interface Peer {
  /** The server answers: that is written, and what the application gets is given back. */
  answer(question: Question, data: Row): unknown
  /** What the cache knows. */
  read(question: Question): unknown
  /** Told of each change of what is in the cache. */
  watch(question: Question, tell: (data: unknown) => void): void
  /** The same question is answered anew, to someone else than those who watch. */
  change(question: Question, data: Row): void
}
