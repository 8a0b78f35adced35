// The same schema and rows on both stores. Each request goes to both, and status, headers and body must be identical, apart from
// generated ids and times (`normalize-ids.ts`).

import assert from 'node:assert/strict'
import { bodyText, type HttpReply, system, type Viewer } from '../../packages/twain/src/base/http/index.ts'
import type { Model } from '../../packages/twain/src/model/index.ts'
import type { StoreName } from '../../packages/twain/src/store/test-place.fixture.ts'
import { openApis, type RawRequest, type TestApis } from '../harness/open-apis.ts'
import type { RuleSchema } from '../rules/rule-schemas.ts'
import { IdNormalizer } from './normalize-ids.ts'

export interface PairRequest extends RawRequest {
  api: 'rest' | 'graphql'
  headers: Record<string, string>
  body?: string
}

/** The answer of SQLite. */
export interface PairAnswer {
  status: number
  headers: HttpReply['headers']
  text: string
}

export class StorePair {
  readonly model: Model
  readonly #sqlite: TestApis
  readonly #postgres: TestApis
  readonly #names = new IdNormalizer()

  static async open({ sdl, rows }: RuleSchema): Promise<StorePair> {
    const limits = { depth: 0, cost: 0 }
    const open = (on: StoreName) => openApis(sdl, limits, undefined, undefined, on)
    const pair = new StorePair(...(await Promise.all([open('sqlite'), open('postgres')])))
    for (const [type, { id, ...row }] of rows) {
      const { path } = pair.model.resources.find(({ name }) => name === type)!
      const isAccount = type === pair.model.account?.resource.name
      const body = JSON.stringify(isAccount ? { ...row, password: 'correct horse' } : row)
      const headers = { 'content-type': 'application/json' }
      const made = await pair.ask({ api: 'rest', method: 'PUT', path: `/${path}/${id}`, headers, body }, system)
      assert.equal(made.status, 201, made.text)
    }
    return pair
  }

  private constructor(sqlite: TestApis, postgres: TestApis) {
    this.model = sqlite.model
    this.#sqlite = sqlite
    this.#postgres = postgres
  }

  /** Throws where the stores differ. */
  async ask(call: PairRequest, viewer: Viewer): Promise<PairAnswer> {
    const [one, other] = await Promise.all([
      answerOf(this.#sqlite, call, viewer),
      answerOf(this.#postgres, this.#swapped(call), viewer),
    ])
    assert.deepEqual(
      this.#names.normalize(print(other), 'postgres').split('\n'),
      this.#names.normalize(print(one), 'sqlite').split('\n'),
      `PostgreSQL differs from SQLite for ${JSON.stringify(call)} of ${viewer.account ?? viewer.token ?? 'nobody'}`,
    )
    return one
  }

  async close(): Promise<void> {
    await Promise.all([this.#sqlite.close(), this.#postgres.close()])
  }

  #swapped(call: PairRequest): PairRequest {
    const path = this.#names.swap(call.path)
    return call.body === undefined ? { ...call, path } : { ...call, path, body: this.#names.swap(call.body) }
  }
}

async function answerOf(apis: TestApis, { api, ...request }: PairRequest, viewer: Viewer): Promise<PairAnswer> {
  const reply = await apis.send(api, request, viewer)
  return { status: reply.status, headers: reply.headers, text: await bodyText(reply) }
}

/** Whether there is a `Last-Modified` depends on the second of the request (R63). */
function print({ status, headers, text }: PairAnswer): string {
  const comparable = Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'last-modified')
  return [status, ...comparable.map(([name, value]) => `${name}: ${value}`), '', text].join('\n')
}
