// A client that follows the changes from some moment on. When its node ends it goes to another node that has everything that it asks
// for, and resumes after the last event that it got.

import { setTimeout as pause } from 'node:timers/promises'
import { type TypeSketch, typeOf, typesOf } from './chain.ts'
import { type CloudEvent, compareEvents, type FoundEvent, fromCloudEvent } from './compare-events.ts'
import type { VersionNode } from './node.ts'
import type { Event, Oracle } from './oracle.ts'
import type { Api } from './step.ts'

export class Follower {
  /** The version that the client was written for. */
  readonly version: number
  readonly #oracle: Oracle
  readonly #api: Api
  /** What a subscription follows; the stream of REST follows all types. */
  readonly #type: TypeSketch
  readonly #found: FoundEvent[] = []
  readonly #firstEvent: number
  #cursor: string
  #reading: Promise<void> | null = null
  #failure: unknown = null

  private constructor(node: VersionNode, oracle: Oracle, api: Api, type: TypeSketch, cursor: string) {
    this.version = node.version
    this.#oracle = oracle
    this.#api = api
    this.#type = type
    this.#cursor = cursor
    this.#firstEvent = oracle.events.length
  }

  static async open(node: VersionNode, oracle: Oracle, api: Api, type: TypeSketch, cursor: string): Promise<Follower> {
    const follower = new Follower(node, oracle, api, type, cursor)
    await follower.resume([node])
    return follower
  }

  get isReading(): boolean {
    return this.#reading !== null
  }

  /** Reads from one of the nodes, unless it reads from one. */
  async resume(nodes: readonly VersionNode[]): Promise<void> {
    const node = nodes.find(({ version }) => version >= this.version)
    if (this.#reading !== null || node === undefined) return
    const parts = await (this.#api === 'rest'
      ? node.stream('GET', '/changes', undefined, { 'last-event-id': this.#cursor })
      : node.stream('POST', '/graphql', { query: this.#subscription(), variables: { after: this.#cursor } }, {}))
    this.#reading = this.#read(parts)
      .catch((error) => (this.#failure = error))
      .then(() => {
        this.#reading = null
      })
  }

  /** Waits for what it must have got, and compares it. */
  async compare(): Promise<void> {
    const { version } = this
    const known = typesOf(this.#oracle.chain, version).map(({ name }) => name)
    const followed = this.#api === 'rest' ? known : [this.#type.name]
    const expected: Event[] = this.#oracle.events.slice(this.#firstEvent).filter(({ type }) => followed.includes(type))
    const needed = expected.filter(({ visibleSince }) => visibleSince <= version).length
    const end = performance.now() + deliveryMs
    while (this.isReading && this.#found.length < needed && performance.now() < end) await pause(5)
    if (this.#failure !== null) throw this.#failure
    if (!this.isReading) return // its node has ended, and no other has what it asks for
    const shows = this.#api === 'rest' ? undefined : ['scalar', 'time']
    compareEvents(
      this.#found,
      expected,
      version,
      this.#oracle,
      `the events that a client of version ${version} got by ${this.#api}`,
      shows,
    )
  }

  #subscription(): string {
    const { name, fields } = this.#type
    const scalars = fields.filter(({ kind }) => kind === 'scalar' || kind === 'time').map((field) => field.name)
    const one = name.toLowerCase()
    return `subscription ($after: String) { ${one}Changed(after: $after) { kind id version cursor ${one} { ${['id', ...scalars].join(' ')} } } }`
  }

  async #read(parts: AsyncIterable<string | Uint8Array>): Promise<void> {
    const decoder = new TextDecoder()
    let text = ''
    for await (const part of parts) {
      text += typeof part === 'string' ? part : decoder.decode(part, { stream: true })
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const data = /^data: ?(.+)$/m.exec(text.slice(0, end))?.[1]
        const id = /^id: ?(.+)$/m.exec(text.slice(0, end))?.[1]
        text = text.slice(end + 2)
        if (data !== undefined) this.#add(JSON.parse(data))
        if (id !== undefined) this.#cursor = id
      }
    }
  }

  #add(event: CloudEvent | { data: Record<string, Changed>; errors?: unknown }): void {
    if ('specversion' in event) {
      const found = fromCloudEvent(event as CloudEvent, this.#oracle.chain.types)
      // A newer node has types that the client ignores.
      if (typeOf(this.#oracle.chain, found.type, this.version) !== undefined) this.#found.push(found)
      return
    }
    const { data, errors } = event as { data: Record<string, Changed>; errors?: unknown }
    if (errors !== undefined) throw new Error(`a subscription got ${JSON.stringify(errors)}`)
    const one = this.#type.name.toLowerCase()
    const changed = data[`${one}Changed`]!
    this.#cursor = changed.cursor
    const row = changed[one] as Record<string, unknown> | null
    this.#found.push({
      kind: changed.kind.toLowerCase(),
      type: this.#type.name,
      id: changed.id,
      version: changed.version,
      data: row,
    })
  }
}

const deliveryMs = 10_000

interface Changed {
  kind: string
  id: string
  version: number
  cursor: string
  [row: string]: unknown
}

/** The position of the log now, on this node. */
export async function currentCursor(node: VersionNode): Promise<string> {
  const { body } = await node.rest('GET', '/changes?after=now&first=0')
  return (body as { pageInfo: { endCursor: string } }).pageInfo.endCursor
}
