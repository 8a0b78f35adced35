// Clients that read and write through a proxy without a pause, and record each failure.

import { until } from '../../harness/until.ts'
import type { Client } from './proxy-client.ts'

export interface Failure {
  kind: 'get' | 'post' | 'put'
  /** The text of the note and the idempotency key. */
  text: string
  key: string
  /** Through which proxy. */
  origin: string
  /** A status, or the error of the connection. */
  outcome: string
}

export class Load {
  readonly failed: Failure[] = []
  /** Texts of the notes that were sent, answered or not. */
  readonly posted: string[] = []
  answered = 0
  #goesOn = true
  readonly #ended: Promise<unknown>

  constructor(clients: readonly Client[]) {
    this.#ended = Promise.all(clients.map((client, number) => this.#run(client, number)))
  }

  /** Resolves after so many more answers. */
  async answers(count: number): Promise<void> {
    const enough = this.answered + count
    await until(
      async () => this.answered,
      (answered) => answered >= enough,
    )
  }

  async stop(): Promise<void> {
    this.#goesOn = false
    await this.#ended
  }

  async #run(client: Client, number: number): Promise<void> {
    for (let turn = 0; this.#goesOn; turn++) {
      const text = `${number}-${turn}`
      const key = `key-${text}`
      const sent = { text, key, origin: client.origin }
      this.posted.push(text)
      const posting = client.askJson('POST', '/notes', { text }, { 'idempotency-key': key })
      await this.#note({ kind: 'post', ...sent }, 201, posting)
      await this.#note({ kind: 'get', ...sent }, 200, client.ask('GET', '/notes?limit=5'))
      const query = encodeURIComponent('{ notes(limit: 5) { id text } }')
      await this.#note({ kind: 'get', ...sent }, 200, client.ask('GET', `/graphql?query=${query}`))
      const put = client.askJson('PUT', `/notes/of-${number}`, { text: `put ${text}` })
      await this.#note({ kind: 'put', ...sent }, turn === 0 ? 201 : 200, put)
    }
  }

  async #note(what: Omit<Failure, 'outcome'>, expected: number, client: Promise<{ status: number }>): Promise<void> {
    const outcome = await client.then(
      ({ status }) => String(status),
      (error: NodeJS.ErrnoException) => error.code ?? error.message,
    )
    this.answered++
    if (outcome !== String(expected)) this.failed.push({ ...what, outcome })
  }
}
