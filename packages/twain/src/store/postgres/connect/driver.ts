// What Twain uses of the driver. Members that its manual does not describe are marked: look at them before another version
// is used (docs/internals/decisions/0051-one-postgres-driver.md).

import type { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
// @ts-expect-error: the driver has no types of its own
import pg from 'pg'

export interface Field {
  name: string
  dataTypeID: number
}

export interface BindMessage {
  statement: string
  values: readonly unknown[]
  valueMapper(value: unknown): string | Buffer | null
}

export declare class Connection extends EventEmitter {
  constructor(options: {
    ssl: false | ConnectionOptions
    sslNegotiation?: string
    keepAlive?: boolean
    stream?: Socket
  })
  /** The socket; over TLS the encrypted one. */
  readonly stream: Socket
  /** Not in the manual: begins to read messages. */
  attachListeners(stream: MessageSource): void
  /** Not in the manual: all messages go through it. */
  _send(message: Buffer): boolean
  connect(port: number | string, host?: string): void
  query(sql: string): void
  parse(message: { name: string; text: string }): void
  describe(message: { type: 'S' | 'P'; name: string }): void
  bind(message: BindMessage): void
  execute(message?: { rows?: number }): void
  close(message: { type: 'S'; name: string }): void
  flush(): void
  sync(): void
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
  sendCopyFail(message: string): void
}

/** The part of a socket from which the driver reads. */
export interface MessageSource {
  on(event: string, listener: (bytes: Buffer) => void): unknown
}

/** A query that speaks the protocol itself. `handleError` is the last call, or `handleReadyForQuery`. */
export interface Submittable {
  submit(connection: Connection): Error | null | undefined
  handleRowDescription(message: { fields: Field[] }): void
  handleDataRow(message: { fields: (string | null)[] }): void
  handleCommandComplete(message: { text: string }, connection: Connection): void
  handleEmptyQuery(connection: Connection): void
  handlePortalSuspended(connection: Connection): void
  handleCopyInResponse(connection: Connection): void
  handleCopyData(message: { chunk: Buffer }, connection: Connection): void
  handleError(error: Error, connection: Connection): void
  handleReadyForQuery(connection: Connection): void
}

export interface ClientOptions {
  host?: string
  port?: number
  user: string
  database: string
  ssl: false | ConnectionOptions
  sslnegotiation?: 'postgres' | 'direct'
  enableChannelBinding: boolean
  connection: Connection
}

export declare class Client extends EventEmitter {
  constructor(options: ClientOptions)
  password: string | null
  readonly connection: Connection
  connect(): Promise<Client>
  query<Q extends Submittable>(query: Q): Q
  end(): Promise<void>
  /** Not in the manual: the startup message. */
  getStartupConf(): Record<string, string>
}

export const driver = pg as { Client: typeof Client; Connection: typeof Connection }
