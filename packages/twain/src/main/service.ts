// A schema file, served: requests in, replies out, without a socket. The contract can be swapped under way.
//
// 1. A request sees one contract from its beginning to its end: the swap waits for those inside.
// 2. A request is never lost to a swap: those who come meanwhile wait for it.
// 3. A file with mistakes, or a change that the store refuses, leaves what was served as it was.

import {
  anonymous,
  type BodyStream,
  Fault,
  type HttpRequest,
  isStream,
  type MaybePromise,
  system,
  type Viewer,
} from '#base'
import { createRoutes, type Handle, type Routes } from '#http'
import type { Model } from '#model'
import { compose, type House, type Surroundings } from './compose.ts'
import { Gate } from './gate.ts'
import { readSchema, type Schema } from './read-schema.ts'
import { requireRules } from './require-rules.ts'

export interface ServiceOptions extends Surroundings {
  schemaFile: string
  /** Whether a contract that leaves something open to everyone by saying nothing is refused. */
  requireRules?: boolean
}

export type Reload =
  | { kind: 'same' } // the file says what is already served
  | { kind: 'swapped'; before: Model; after: Model }
  | { kind: 'kept'; reason: unknown } // what was served still is; SchemaRejected, StartRefused, or a bug
  | { kind: 'lost'; reason: unknown } // the way back failed too: 503 until a reload succeeds

/** Throws SchemaRejected or StartRefused; then nothing is open and nothing was migrated. */
export async function openService(options: ServiceOptions, build: typeof compose = compose): Promise<Service> {
  const schema = await readSchema(options.schemaFile)
  if (options.requireRules === true) requireRules(schema.model)
  return new Service(schema, await build(schema, options), options, build)
}

export class Service {
  readonly handle: Handle
  /** As `handle`, but it is ourselves who ask, and no rule is: for what the operator does, such as filling it. */
  readonly handleAsSystem: Handle
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
    const viewerOf: ViewerOf = (request, house) => (isSigningIn(request) ? anonymous : house.viewerOf(request))
    const routes: Routes = {
      rest: this.#door('rest', viewerOf),
      graphql: this.#door('graphql', viewerOf),
      model: () => this.model,
      ready: () => this.#gate.open && !this.#retired && this.#house?.ready() === true,
      log: options.log,
    }
    this.handle = createRoutes(routes)
    const asSystem: ViewerOf = () => system
    this.handleAsSystem = createRoutes({
      ...routes,
      rest: this.#door('rest', asSystem),
      graphql: this.#door('graphql', asSystem),
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

  #door(name: 'rest' | 'graphql', viewerOf: ViewerOf): Handle {
    return async (request) => {
      while (!this.#gate.open) await this.#gate.opened()
      this.#gate.enter()
      try {
        if (this.#house === null) throw unavailable()
        const viewer = viewerOf(request, this.#house)
        const reply = await this.#house[name](request, viewer instanceof Promise ? await viewer : viewer)
        if (!isStream(reply.body)) return reply
        this.#gate.enter() // once more, for as long as it is being sent
        return { ...reply, body: this.#untilSent(reply.body) }
      } finally {
        this.#gate.leave()
      }
    }
  }

  /** No generator: one that is ended before it has begun, since the client is gone, would never leave. */
  #untilSent(body: BodyStream): BodyStream {
    const parts = body[Symbol.asyncIterator]()
    let isSent = false
    const leave = () => {
      if (!isSent) this.#gate.leave()
      isSent = true
    }
    const next = async () => {
      try {
        const part = await parts.next()
        if (part.done === true) leave()
        return part
      } catch (error) {
        leave()
        throw error
      }
    }
    const end = async () => {
      try {
        await parts.return?.()
      } finally {
        leave()
      }
      return { done: true, value: undefined } as const
    }
    return { [Symbol.asyncIterator]: () => ({ next, return: end }) }
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

type ViewerOf = (request: HttpRequest, house: House) => MaybePromise<Viewer>

function unavailable(): Fault {
  return new Fault('UNAVAILABLE', 'The service is not available just now.', { headers: { 'retry-after': '1' } })
}

/** Who signs in or renews needs no token, and one that has expired must not stand in the way. */
function isSigningIn({ method, path }: HttpRequest): boolean {
  return method === 'POST' && path === '/tokens'
}
