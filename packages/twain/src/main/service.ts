// A schema file, served: requests in, replies out, without a socket. The contract can be swapped under way.
//
// 1. A request sees one contract from its beginning to its end: the swap waits for those inside.
// 2. A request is never lost to a swap: those who come meanwhile wait for it.
// 3. A file with mistakes, or a change that the store refuses, leaves what was served as it was.

import { type Door, Fault, type HttpReply } from '#base'
import { createRoutes, type Handle } from '#http'
import type { Model } from '#model'
import { compose, type House, type Surroundings } from './compose.ts'
import { Gate } from './gate.ts'
import { readSchema, type Schema } from './read-schema.ts'

export interface ServiceOptions extends Surroundings {
  schemaFile: string
}

export type Reload =
  | { kind: 'same' } // the file says what is already served
  | { kind: 'swapped'; before: Model; after: Model }
  | { kind: 'kept'; reason: unknown } // what was served still is; SchemaRejected, StartRefused, or a bug
  | { kind: 'lost'; reason: unknown } // the way back failed too: 503 until a reload succeeds

/** Throws SchemaRejected or StartRefused; then nothing is open and nothing was migrated. */
export async function openService(options: ServiceOptions, build: typeof compose = compose): Promise<Service> {
  const schema = await readSchema(options.schemaFile)
  return new Service(schema, await build(schema, options), options, build)
}

export class Service {
  readonly handle: Handle
  readonly #gate = new Gate()
  readonly #options: ServiceOptions
  readonly #build: typeof compose
  #retired = false
  #schema: Schema
  /** Null when it is closed, or when a swap failed and the way back failed too. */
  #house: House | null
  #closed = false

  constructor(schema: Schema, house: House, options: ServiceOptions, build: typeof compose) {
    this.#schema = schema
    this.#house = house
    this.#options = options
    this.#build = build
    this.handle = createRoutes({
      rest: this.#door('rest'),
      graphql: this.#door('graphql'),
      model: () => this.model,
      ready: () => this.#gate.open && !this.#retired && this.#house?.ready() === true,
      log: options.log,
    })
  }

  get model(): Model {
    return this.#schema.model
  }

  /** Reads the file again and serves what it says now. */
  async reload(): Promise<Reload> {
    try {
      const schema = await readSchema(this.#options.schemaFile)
      return await this.#gate.alone(() => this.#swap(schema))
    } catch (reason) {
      return { kind: this.#house === null ? 'lost' : 'kept', reason }
    }
  }

  /** Says on `/readyz` that no new requests should come; those that do are still answered. */
  retire(): void {
    this.#retired = true
  }

  /** For good: a reload that is under way opens nothing any more. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#gate.alone(() => this.#leave())
  }

  #door(name: 'rest' | 'graphql'): Door {
    return (request, viewer) =>
      this.#gate.pass((): Promise<HttpReply> => {
        if (this.#house === null) throw unavailable()
        return this.#house[name](request, viewer)
      })
  }

  /** A store holds its data alone, so the old one closes before the new one opens. */
  async #swap(schema: Schema): Promise<Reload> {
    const before = this.#schema
    if (this.#closed || (schema.sdl === before.sdl && this.#house !== null)) return { kind: 'same' }
    await this.#leave()
    try {
      this.#house = await this.#build(schema, this.#options)
    } catch (reason) {
      this.#house = await this.#build(before, this.#options)
      return { kind: 'kept', reason }
    }
    this.#schema = schema
    return { kind: 'swapped', before: before.model, after: schema.model }
  }

  async #leave(): Promise<void> {
    const house = this.#house
    this.#house = null
    await house?.close()
  }
}

function unavailable(): Fault {
  return new Fault('UNAVAILABLE', 'The service is not available just now.', { headers: { 'retry-after': '1' } })
}
