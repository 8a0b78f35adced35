// A client that writes and reads its own notes without a pause while nodes are rolled, never repeats a request, and knows what each
// answer must be. It records every version of its notes, so that rows and events can be compared at the end.

import assert from 'node:assert/strict'
import type { Client, Reply } from '../../faults/proxies/proxy-client.ts'

/** The fields of a note after a change; null: it was deleted. */
export type NoteState = Record<string, unknown> | null

export interface RollingFailure {
  request: string
  outcome: string
}

type Body = Record<string, unknown>

export class RollingClient {
  answered = 0
  /** Requests without the answer that they must have, and answers that were wrong. */
  readonly failures: RollingFailure[] = []
  readonly wrong: string[] = []
  /** The states of each note, by its version. */
  readonly notes = new Map<string, NoteState[]>()
  /** The text of each file that a note holds. */
  readonly files = new Map<string, string>()
  /** Ids of the comments that require the kept note. */
  readonly comments: string[] = []
  readonly milliseconds: number[] = []
  readonly #client: Client
  readonly #number: number
  readonly #kept: string
  readonly #folder: string
  #turn = 0

  constructor(client: Client, number: number) {
    this.#client = client
    this.#number = number
    this.#kept = `kept-${number}`
    this.#folder = `folder-${number}`
  }

  async prepare(): Promise<void> {
    await this.#send('PUT', `/folders/${this.#folder}`, { name: 'mine' }, 201)
    await this.#write('PUT', this.#kept, { text: `kept${this.#number}`, count: 0, folder: this.#folder })
  }

  /** `hasNew`: whether every node has the second version, so that the client may use what it adds. */
  async turn(hasNew: boolean): Promise<void> {
    const turn = this.#turn++
    const word = `w${this.#number}x${turn}`
    const id = `note-${this.#number}-${turn}`
    await this.#write('PUT', id, { text: `${word} steady`, count: turn, folder: this.#folder })
    await this.#read(id)
    await this.#write('PATCH', id, { count: turn + 1000 })
    await this.#readByGraphql(id)
    await this.#find('notes', word, [id])
    await this.#write('PATCH', this.#kept, { count: turn })
    await this.#send('DELETE', `/folders/${this.#folder}`, undefined, 409)
    if (turn % 4 === 1) await this.#attach(id, 'picture')
    if (turn % 3 === 2) await this.#delete(`note-${this.#number}-${turn - 2}`)
    if (this.comments.length > 0) await this.#send('DELETE', `/notes/${this.#kept}`, undefined, 409)
    if (hasNew) await this.#useNew(turn)
  }

  async #useNew(turn: number): Promise<void> {
    const word = `deep${this.#number}x${turn}`
    await this.#write('PATCH', this.#kept, { summary: `${word} water`, stars: (turn % 5) + 1 })
    await this.#find('notes', word, [this.#kept])
    if (turn % 4 === 0) await this.#attach(this.#kept, 'scans')
    if (turn % 2 > 0) return
    const comment = `comment-${this.#number}-${turn}`
    const made = await this.#send('PUT', `/comments/${comment}`, { note: this.#kept, text: `said${word}` }, 201)
    if (made === null) return
    this.comments.push(comment)
    await this.#find('comments', `said${word}`, [comment])
  }

  async #write(method: 'PUT' | 'PATCH', id: string, values: Body): Promise<void> {
    const states = this.notes.get(id) ?? []
    const now = { ...states.at(-1), ...values }
    const reply = await this.#send(method, `/notes/${id}`, values, states.length === 0 ? 201 : 200)
    if (reply === null) return
    const isSame = JSON.stringify(now) === JSON.stringify(states.at(-1))
    if (!isSame) this.notes.set(id, [...states, now])
    const version = this.notes.get(id)!.length
    this.#compare(`${method} /notes/${id}`, reply, now)
    if (!String(reply.headers.etag).startsWith(`"${version}-`))
      this.wrong.push(`${id} is ${reply.headers.etag} instead of version ${version}`)
  }

  async #read(id: string): Promise<void> {
    const reply = await this.#send('GET', `/notes/${id}`, undefined, 200)
    if (reply !== null) this.#compare(`GET /notes/${id}`, reply, this.notes.get(id)!.at(-1)!)
  }

  async #readByGraphql(id: string): Promise<void> {
    const query = `{ note(id: "${id}") { text count folder { id } } }`
    const reply = await this.#send('POST', '/graphql', { query }, 200)
    if (reply === null) return
    const { text, count, folder } = this.notes.get(id)!.at(-1)!
    const data = { note: { text, count, folder: { id: folder } } }
    if (!isSame(JSON.parse(String(reply.bytes)), { data })) this.wrong.push(`${query}: ${reply.bytes}`)
  }

  async #find(list: string, word: string, expected: readonly string[]): Promise<void> {
    const reply = await this.#send('GET', `/${list}?search=${word}&fields=id`, undefined, 200)
    if (reply === null) return
    const found = JSON.parse(String(reply.bytes)).map((row: Body) => row.id)
    if (!isSame(found, expected)) this.wrong.push(`the search for ${word} in ${list}: ${reply.bytes}`)
  }

  async #attach(id: string, field: 'picture' | 'scans'): Promise<void> {
    const text = `${field} of ${id} ${this.#turn}`
    const made = await this.#send('POST', '/files', text, 201)
    if (made === null) return
    const file = JSON.parse(String(made.bytes)).id as string
    const held = (this.notes.get(id)!.at(-1)!.scans ?? []) as string[]
    this.files.set(file, text)
    await this.#write('PATCH', id, { [field]: field === 'scans' ? [...held, file] : file })
    const read = await this.#send('GET', `/files/${file}`, undefined, 200)
    if (read !== null && String(read.bytes) !== text) this.wrong.push(`GET /files/${file}: ${read.bytes}`)
  }

  async #delete(id: string): Promise<void> {
    const states = this.notes.get(id)
    if (states === undefined || states.at(-1) === null) return
    if ((await this.#send('DELETE', `/notes/${id}`, undefined, 204)) === null) return
    const { picture } = states.at(-1)!
    if (typeof picture === 'string') this.files.delete(picture)
    states.push(null)
    await this.#send('GET', `/notes/${id}`, undefined, 404)
  }

  /** Null: it failed. */
  async #send(method: string, path: string, body: Body | string | undefined, expected: number): Promise<Reply | null> {
    const type = { 'content-type': typeof body === 'string' ? 'text/plain' : 'application/json' }
    const sent = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
    const began = performance.now()
    const reply = await this.#client
      .ask(method, path, sent === undefined ? {} : type, sent ?? '')
      .catch((error: NodeJS.ErrnoException) => error)
    this.milliseconds.push(performance.now() - began)
    this.answered++
    if (!(reply instanceof Error) && reply.status === expected) return reply
    const outcome = reply instanceof Error ? (reply.code ?? reply.message) : `${reply.status} ${reply.bytes}`
    this.failures.push({ request: `${method} ${path}`, outcome })
    return null
  }

  #compare(request: string, reply: Reply, expected: Body): void {
    const shown = JSON.parse(String(reply.bytes)) as Body
    const wrong = differences(shown, expected)
    if (wrong.length > 0) this.wrong.push(`${request}: ${wrong.join(', ')}`)
  }
}

/** Fields that are shown with another value. Lists are not shown, and an older version does not show newer fields. */
export function differences(shown: Body, expected: Body): string[] {
  return Object.entries(expected).flatMap(([name, value]) =>
    name in shown && !isSame(shown[name], value)
      ? [`${name} is ${JSON.stringify(shown[name])} instead of ${JSON.stringify(value)}`]
      : [],
  )
}

function isSame(found: unknown, expected: unknown): boolean {
  try {
    assert.deepEqual(found, expected)
    return true
  } catch {
    return false
  }
}
