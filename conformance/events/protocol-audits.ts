// The rules of `graphql-transport-ws` (graphql-ws, PROTOCOL.md) as audits of any server at a URL: what it must send, and with
// which code it must close. They know nothing of Twain: `node conformance/events/run-protocol-audits.ts ws://…` audits another one.

import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { WebSocket } from 'ws'

export interface Audit {
  id: string
  title: string
  /** Throws where the server breaks the rule. */
  run(url: string): Promise<void>
}

interface Message {
  type: string
  id?: string
  payload?: unknown
}

/** A client that sends whatever messages the audit gives it. */
class Raw {
  readonly #socket: WebSocket
  readonly messages: Message[] = []
  closed: { code: number; reason: string } | null = null

  constructor(socket: WebSocket) {
    this.#socket = socket
    socket.on('message', (data) => this.messages.push(JSON.parse(String(data))))
    socket.on('close', (code, reason) => {
      this.closed = { code, reason: String(reason) }
    })
    socket.on('error', () => {})
  }

  static async open(url: string, protocol: string | null = 'graphql-transport-ws'): Promise<Raw> {
    const socket = protocol === null ? new WebSocket(url) : new WebSocket(url, protocol)
    const raw = new Raw(socket)
    await once(socket, 'open')
    return raw
  }

  static async ready(url: string): Promise<Raw> {
    const raw = await Raw.open(url)
    raw.say({ type: 'connection_init' })
    await raw.receives('connection_ack')
    return raw
  }

  say(message: unknown): void {
    this.#socket.send(typeof message === 'string' ? message : JSON.stringify(message))
  }

  bytes(bytes: Uint8Array): void {
    this.#socket.send(bytes)
  }

  async receives(type: string, id?: string): Promise<Message> {
    return this.#wait(`"${type}"`, () =>
      this.messages.find((one) => one.type === type && (id === undefined || one.id === id)),
    )
  }

  async closes(code: number, within = 5000): Promise<void> {
    const closed = await this.#wait(`a close with ${code}`, () => this.closed, within)
    if (closed.code !== code) throw new Error(`it closed with ${closed.code} (${closed.reason}), not ${code}`)
  }

  end(): void {
    this.#socket.terminate()
  }

  async #wait<T>(what: string, look: () => T | null | undefined, within = 5000): Promise<T> {
    for (let waited = 0; waited < within; waited += 5) {
      const found = look()
      if (found !== null && found !== undefined) return found
      await pause(5)
    }
    throw new Error(`${what} did not come; it sent ${JSON.stringify(this.messages)}, ${JSON.stringify(this.closed)}`)
  }
}

const query = { query: '{ __typename }' }

function audit(id: string, title: string, run: (url: string) => Promise<unknown>): Audit {
  return {
    id,
    title,
    async run(url) {
      const raw = await run(url)
      if (raw instanceof Raw) raw.end()
    },
  }
}

/** Messages after which the server must close the connection. */
function closesReady(id: string, title: string, code: number, ...messages: unknown[]): Audit {
  return audit(id, title, async (url) => {
    const raw = await Raw.ready(url)
    for (const message of messages) raw.say(message)
    await raw.closes(code)
  })
}

export const audits: Audit[] = [
  audit('W01', 'a client of another protocol is closed with 4406', async (url) => {
    for (const protocol of [null, 'graphql-ws']) {
      const raw = await Raw.open(url, protocol).catch(() => null)
      // A client that named a subprotocol may close by itself, since the server chose none.
      if (raw !== null) await raw.closes(4406)
    }
  }),
  audit('W02', 'the greeting is acknowledged', (url) => Raw.ready(url)),
  audit('W03', 'no greeting within the time is closed with 4408', async (url) => {
    const raw = await Raw.open(url)
    await raw.closes(4408, 15_000)
  }),
  closesReady('W04', 'a second greeting is closed with 4429', 4429, { type: 'connection_init' }),
  audit('W05', 'two greetings at once are closed with 4429', async (url) => {
    const raw = await Raw.open(url)
    raw.say({ type: 'connection_init' })
    raw.say({ type: 'connection_init' })
    await raw.closes(4429)
  }),
  audit('W06', 'an operation before the greeting is closed with 4401', async (url) => {
    const raw = await Raw.open(url)
    raw.say({ type: 'subscribe', id: '1', payload: query })
    await raw.closes(4401)
  }),
  audit('W07', 'an operation before the acknowledgement is closed with 4401', async (url) => {
    const raw = await Raw.open(url)
    raw.say({ type: 'connection_init' })
    raw.say({ type: 'subscribe', id: '1', payload: query })
    await raw.closes(4401)
  }),
  ...[
    ['what is no JSON', 'x'],
    ['an empty message', ''],
    ['a list', []],
    ['a number', 3],
    ['null', 'null'],
    ['no type', {}],
    ['an unknown type', { type: 'start', id: '1' }],
    ["a server's own type", { type: 'next', id: '1', payload: {} }],
    ['an operation without id', { type: 'subscribe', payload: query }],
    ['an operation with an empty id', { type: 'subscribe', id: '', payload: query }],
    ['an operation whose id is a number', { type: 'subscribe', id: 1, payload: query }],
    ['an operation without payload', { type: 'subscribe', id: '1' }],
    ['an operation without a document', { type: 'subscribe', id: '1', payload: {} }],
    ['an operation whose document is no text', { type: 'subscribe', id: '1', payload: { query: 3 } }],
    ['a complete without id', { type: 'complete' }],
    ['variables that are no object', { type: 'subscribe', id: '1', payload: { ...query, variables: 'x' } }],
    ['variables that are a list', { type: 'subscribe', id: '1', payload: { ...query, variables: [1] } }],
  ].map(([what, message], index) =>
    closesReady(`W${10 + index}`, `${String(what)} is closed with 4400`, 4400, message === null ? 'null' : message),
  ),
  audit('W30', 'bytes that are no text are closed with 4400 or 1003', async (url) => {
    const raw = await Raw.ready(url)
    raw.bytes(new Uint8Array([1, 2, 3]))
    await raw.closes(4400).catch(() => raw.closes(1003))
  }),
  audit('W31', 'a ping is answered by a pong, before the greeting too', async (url) => {
    const raw = await Raw.open(url)
    raw.say({ type: 'ping', payload: { a: 1 } })
    await raw.receives('pong')
    raw.say({ type: 'pong' })
    raw.say({ type: 'connection_init' })
    await raw.receives('connection_ack')
    return raw
  }),
  audit('W32', 'a query is a next and a complete', async (url) => {
    const raw = await Raw.ready(url)
    raw.say({ type: 'subscribe', id: 'q', payload: query })
    const { payload } = await raw.receives('next', 'q')
    if (JSON.stringify(payload) !== '{"data":{"__typename":"Query"}}') throw new Error(JSON.stringify(payload))
    await raw.receives('complete', 'q')
    return raw
  }),
  audit('W33', 'a document that is wrong is an error, and the connection stays open', async (url) => {
    const raw = await Raw.ready(url)
    raw.say({ type: 'subscribe', id: 'e', payload: { query: '{ nothingLikeIt }' } })
    const { payload } = await raw.receives('error', 'e')
    if (!Array.isArray(payload) || typeof payload[0]?.message !== 'string') throw new Error(JSON.stringify(payload))
    raw.say({ type: 'subscribe', id: 'e', payload: query }) // the id is free again
    await raw.receives('complete', 'e')
    return raw
  }),
  audit('W34', 'an operation that is over leaves its id to the next', async (url) => {
    const raw = await Raw.ready(url)
    for (let n = 0; n < 3; n++) {
      raw.messages.length = 0
      raw.say({ type: 'subscribe', id: 'same', payload: query })
      await raw.receives('complete', 'same')
    }
    return raw
  }),
  audit('W35', 'a complete of an unknown operation is passed over', async (url) => {
    const raw = await Raw.ready(url)
    raw.say({ type: 'complete', id: 'nobody' })
    raw.say({ type: 'subscribe', id: '1', payload: query })
    await raw.receives('complete', '1')
    return raw
  }),
  closesReady(
    'W36',
    'a second operation with an id that is taken is closed with 4409',
    4409,
    { type: 'subscribe', id: '1', payload: query },
    { type: 'subscribe', id: '1', payload: query },
  ),
  audit('W37', 'a message beyond the limit closes the connection', async (url) => {
    const raw = await Raw.ready(url)
    raw.say({ type: 'subscribe', id: '1', payload: { query: `{ __typename } # ${'x'.repeat(3_000_000)}` } })
    await raw.closes(1009)
  }),
]
