// What a wrong clock could destroy, made through one server and looked for through another, or the same one later.

import assert from 'node:assert/strict'

export const hour = 3_600_000
export const day = 24 * hour

export const agedSdl = 'type Note @allow @softDelete(keep: "2d") @history(keep: "8d") { id: ID! text: String! }'

export interface Found {
  /** Whether the deleted row can be restored. */
  restored: boolean
  /** Whether the request that is repeated with its idempotency key is not made twice. */
  replayed: boolean
  /** Whether the cursor can still be read from. */
  followed: boolean
  /** Whether the row has its history. */
  hasHistory: boolean
}

export const everything: Found = { restored: true, replayed: true, followed: true, hasHistory: true }
export const nothing: Found = { restored: false, replayed: false, followed: false, hasHistory: false }

export class AgedData {
  readonly #kept: string
  readonly #deleted: string
  readonly #keyed: string
  readonly #cursor: string
  #tries = 0

  private constructor(kept: string, deleted: string, keyed: string, cursor: string) {
    this.#kept = kept
    this.#deleted = deleted
    this.#keyed = keyed
    this.#cursor = cursor
  }

  static async make(address: string): Promise<AgedData> {
    const create = async (text: string, headers = {}): Promise<string> => {
      const { status, body } = await send(address, 'POST', '/notes', { text }, headers)
      assert.equal(status, 201)
      return body.id
    }
    const { cursor } = await endOf(address)
    const [kept, deleted] = [await create('kept'), await create('deleted')]
    const keyed = await create('keyed', { 'idempotency-key': `key-of-${kept}` })
    assert.equal((await send(address, 'DELETE', `/notes/${deleted}`)).status, 204)
    return new AgedData(kept, deleted, keyed, cursor)
  }

  /** A restored row is deleted again, by this server. Restores by one API and the other in turn. */
  async find(address: string): Promise<Found> {
    const other = { 'idempotency-key': `other-${++this.#tries}-of-${this.#kept}` }
    await send(address, 'POST', '/notes', { text: 'other' }, other)
    const restored = await this.#restore(address)
    if (restored) await send(address, 'DELETE', `/notes/${this.#deleted}`)
    const again = { 'idempotency-key': `key-of-${this.#kept}` }
    const { body } = await send(address, 'POST', '/notes', { text: 'keyed' }, again)
    const page = await send(address, 'GET', `/changes?first=1&after=${encodeURIComponent(this.#cursor)}`)
    const { body: history } = await send(address, 'GET', `/notes/${this.#kept}/changes`)
    return {
      restored,
      replayed: body.id === this.#keyed,
      followed: page.status === 200,
      hasHistory: history.edges.length > 0,
    }
  }

  async #restore(address: string): Promise<boolean> {
    if (this.#tries % 2 === 0)
      return (await send(address, 'POST', `/notes/${this.#deleted}/restorations`)).status === 200
    const query = `mutation { restoreNote(id: "${this.#deleted}") { id } }`
    return (await send(address, 'POST', '/graphql', { query })).body.data?.restoreNote != null
  }
}

async function endOf(address: string): Promise<{ cursor: string }> {
  const { body } = await send(address, 'GET', '/changes?first=1&after=now')
  return { cursor: body.pageInfo.endCursor }
}

export async function send(address: string, method: string, path: string, body?: object, more = {}) {
  const headers = { 'content-type': 'application/json', accept: 'application/json', ...more }
  const reply = await fetch(`${address}${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await reply.text()
  return { status: reply.status, text, body: text.startsWith('{') ? JSON.parse(text) : {} }
}
