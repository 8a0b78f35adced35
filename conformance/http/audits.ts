// The requirements of RFC 9110 and related RFCs on a resource, as audits with stable ids: each takes a target and throws when the server
// breaks the rule. They know nothing of the server but a writable collection.

import assert from 'node:assert/strict'
import { type ExchangeRequest, exchange, type Reply } from './exchange.ts'

export interface Target {
  /** Where the server is. */
  url: string
  /** A collection that takes POST, and PUT, PATCH, DELETE below it. */
  collection: string
  /** Two bodies of a row that differ. */
  rows: readonly [string, string]
}

export interface Audit {
  id: string
  title: string
  run(target: Target): Promise<void>
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']
const past = 'Sun, 06 Nov 1994 08:49:37 GMT'

class Bench {
  readonly #target: Target

  constructor(target: Target) {
    this.#target = target
  }

  get collection(): string {
    return this.#target.collection
  }

  get rows(): readonly [string, string] {
    return this.#target.rows
  }

  ask(path: string, sent: ExchangeRequest = {}): Promise<Reply> {
    return exchange(this.#target.url, path, sent)
  }

  /** The path of a new row. */
  async made(): Promise<string> {
    const { status, headers } = await this.ask(this.collection, { method: 'POST', body: this.rows[0] })
    assert.equal(status, 201)
    return String(headers.location)
  }

  fresh(): string {
    return `${this.collection}/audit-${Math.random().toString(36).slice(2)}`
  }
}

const table: [id: string, title: string, run: (bench: Bench) => Promise<void>][] = [
  [
    '9110-6.6.1-date',
    'every reply has a date',
    async (at) => {
      for (const path of [at.collection, '/nothing-here']) {
        assert.ok(!Number.isNaN(Date.parse(String((await at.ask(path)).headers.date))), path)
      }
    },
  ],
  [
    '9110-8.6-length',
    'Content-Length is the length of the body in bytes',
    async (at) => {
      for (const path of [await at.made(), at.collection, '/nothing-here']) {
        const { headers, body } = await at.ask(path)
        if (headers['transfer-encoding'] === undefined) {
          assert.equal(headers['content-length'], String(Buffer.byteLength(body)), path)
        }
      }
    },
  ],
  [
    '9110-9.3.2-head',
    'HEAD has the headers of GET, Content-Length among them, and no body',
    async (at) => {
      for (const path of [await at.made(), at.collection, `${at.collection}?first=2`, '/nothing-here']) {
        const [before, head] = [await at.ask(path), await at.ask(path, { method: 'HEAD' })]
        // A row has a Last-Modified when the second of its last change is over: HEAD may be the first to see it.
        const isSame = head.headers['last-modified'] === before.headers['last-modified']
        const get = isSame ? before : await at.ask(path)
        assert.deepEqual([head.status, head.body], [get.status, ''], path)
        assert.deepEqual(stableHeaders(head), stableHeaders(get), path)
      }
    },
  ],
  [
    '9110-9.3.3-post',
    'POST makes a row: 201, a Location where it is, and a representation of it',
    async (at) => {
      const made = await at.ask(at.collection, { method: 'POST', body: at.rows[0] })
      const found = await at.ask(String(made.headers.location))
      assert.deepEqual([made.status, found.status, found.body], [201, 200, made.body])
      assert.equal(found.headers.etag, made.headers.etag)
    },
  ],
  [
    '9110-9.3.4-put',
    'PUT makes a row where there is none (201), then replaces it (200); a second time nothing changes',
    async (at) => {
      const path = at.fresh()
      const put = (body: string) => at.ask(path, { method: 'PUT', body })
      assert.equal((await put(at.rows[0])).status, 201)
      const [once, twice] = [await put(at.rows[1]), await put(at.rows[1])]
      assert.deepEqual([once.status, twice.status, twice.headers.etag], [200, 200, once.headers.etag])
    },
  ],
  [
    '9110-9.3.5-delete',
    'DELETE is a 204 without a body, and the row is deleted',
    async (at) => {
      const path = await at.made()
      const deleted = await at.ask(path, { method: 'DELETE' })
      assert.deepEqual([deleted.status, deleted.body, deleted.headers['content-length']], [204, '', undefined])
      assert.equal((await at.ask(path)).status, 404)
      assert.equal((await at.ask(path, { method: 'DELETE' })).status, 404)
    },
  ],
  [
    '9110-9.3.7-options',
    'OPTIONS lists the allowed methods: those are no 405, and all others are one, with the same list',
    async (at) => {
      for (const path of [at.collection, await at.made()]) {
        const { status, headers } = await at.ask(path, { method: 'OPTIONS' })
        const allowed = listOf(headers.allow)
        assert.ok(status === 200 || status === 204)
        assert.ok(allowed.includes('GET') && allowed.includes('OPTIONS'), path)
        for (const method of methods) {
          const reply = await at.ask(path, { method, ...(method === 'GET' || method === 'HEAD' ? {} : { body: '[]' }) })
          assert.equal(reply.status === 405, !allowed.includes(method), `${method} ${path}`)
          if (reply.status === 405) assert.deepEqual(listOf(reply.headers.allow), allowed)
          if (method === 'DELETE' && reply.status === 204) return
        }
      }
    },
  ],
  [
    '9110-9.3.7-star',
    'OPTIONS * asks about the server',
    async (at) => assert.ok([200, 204].includes((await at.ask('*', { method: 'OPTIONS' })).status)),
  ],
  [
    '5789-3.1-accept-patch',
    'each type that Accept-Patch lists is taken, and another is a 415 that lists them',
    async (at) => {
      const path = await at.made()
      const { headers } = await at.ask(path, { method: 'OPTIONS' })
      const types = listOf(headers['accept-patch'])
      assert.ok(types.length > 0)
      for (const type of types) {
        const body = type === 'application/json-patch+json' ? '[]' : '{}'
        assert.equal(
          (await at.ask(path, { method: 'PATCH', headers: { 'content-type': type }, body })).status,
          200,
          type,
        )
      }
      const other = await at.ask(path, { method: 'PATCH', headers: { 'content-type': 'text/plain' }, body: 'x' })
      assert.deepEqual([other.status, listOf(other.headers['accept-patch'])], [415, types])
    },
  ],
  [
    '9110-15.5.16-type',
    'a body of a type, or in a charset, that can not be read is a 415',
    async (at) => {
      for (const type of ['text/plain', 'application/json; charset=iso-8859-1']) {
        const reply = await at.ask(at.collection, {
          method: 'POST',
          headers: { 'content-type': type },
          body: at.rows[0],
        })
        assert.equal(reply.status, 415, type)
      }
    },
  ],
  [
    '9110-12.5.1-accept',
    'Accept chooses by quality, the most specific range first, and 0 excludes',
    async (at) => {
      const path = await at.made()
      for (const [accept, type] of [
        ['application/json', /^application\/json/],
        ['*/*', /^application\/json/],
        ['application/json;q=0.1, application/xml;q=0.9', /^application\/xml/],
        ['application/*;q=0.5, application/json;q=0.1', /^application\/xml/],
        ['application/json;q=0, */*;q=0.1', /xml/],
      ] as const) {
        assert.match(String((await at.ask(path, { headers: { accept } })).headers['content-type']), type, accept)
      }
    },
  ],
  [
    '9110-15.5.7-not-acceptable',
    'what can not be represented is a 406, and a write that requires it is not made',
    async (at) => {
      const path = await at.made()
      const before = (await at.ask(path)).headers.etag
      const headers = { accept: 'image/png' }
      assert.equal((await at.ask(path, { headers })).status, 406)
      assert.equal((await at.ask(path, { method: 'PUT', headers, body: at.rows[1] })).status, 406)
      assert.equal((await at.ask(path)).headers.etag, before)
    },
  ],
  [
    '9110-12.5.5-vary',
    'what is negotiated says so in Vary, a 304 too',
    async (at) => {
      const path = await at.made()
      const { headers } = await at.ask(path)
      const known = await at.ask(path, { headers: { 'if-none-match': String(headers.etag) } })
      for (const { vary } of [headers, known.headers]) assert.ok(listOf(vary).some((name) => /^accept$/i.test(name)))
    },
  ],
  [
    '9110-8.8.3-etag',
    'a tag is strong, stays while nothing changes, changes with the row, and differs between representations',
    async (at) => {
      const path = await at.made()
      const tag = async (accept = 'application/json') => (await at.ask(path, { headers: { accept } })).headers.etag
      const first = await tag()
      assert.match(String(first), /^"[^"]+"$/)
      assert.equal(await tag(), first)
      assert.notEqual(await tag('application/xml'), first)
      await at.ask(path, { method: 'PUT', body: at.rows[1] })
      assert.notEqual(await tag(), first)
    },
  ],
  [
    '9110-13.1.2-if-none-match',
    'If-None-Match with the tag, alone, weak, in a list or a star, is a 304 without a body, for GET and HEAD',
    async (at) => {
      for (const path of [await at.made(), at.collection]) {
        const { headers } = await at.ask(path)
        const tag = String(headers.etag)
        for (const method of ['GET', 'HEAD']) {
          for (const list of [tag, `W/${tag}`, `"x", ${tag}`, '*']) {
            const known = await at.ask(path, { method, headers: { 'if-none-match': list } })
            assert.deepEqual([known.status, known.body], [304, ''], `${path} ${list}`)
            for (const name of ['etag', 'cache-control', 'vary', 'date']) {
              assert.ok(known.headers[name] !== undefined, `a 304 has ${name} (15.4.5)`)
            }
            assert.equal(known.headers.etag, tag)
          }
        }
        assert.equal((await at.ask(path, { headers: { 'if-none-match': '"other"' } })).status, 200)
      }
    },
  ],
  [
    '9110-13.1.1-if-match',
    'If-Match on a write lets one version pass and refuses others with 412, and nothing is changed then',
    async (at) => {
      const path = await at.made()
      const tag = String((await at.ask(path)).headers.etag)
      const put = (match: string) => at.ask(path, { method: 'PUT', headers: { 'if-match': match }, body: at.rows[1] })
      assert.equal((await put('"other"')).status, 412)
      assert.equal((await put(`W/${tag}`)).status, 412)
      assert.equal((await at.ask(path)).headers.etag, tag)
      assert.equal((await put(`"other", ${tag}`)).status, 200)
      assert.equal((await put(tag)).status, 412)
      assert.equal((await at.ask(path, { method: 'DELETE', headers: { 'if-match': tag } })).status, 412)
      assert.equal((await put('*')).status, 200)
    },
  ],
  [
    '9110-13.1-presence',
    'If-None-Match: * only makes, If-Match: * only changes',
    async (at) => {
      const path = at.fresh()
      const put = (headers: Record<string, string>) => at.ask(path, { method: 'PUT', headers, body: at.rows[0] })
      assert.equal((await put({ 'if-match': '*' })).status, 412)
      assert.equal((await at.ask(path)).status, 404)
      assert.equal((await put({ 'if-none-match': '*' })).status, 201)
      assert.equal((await put({ 'if-none-match': '*' })).status, 412)
    },
  ],
  [
    '9110-13.1.3-if-modified-since',
    'If-Modified-Since is a 304 while nothing changed; not beside If-None-Match, and not when it is no date',
    async (at) => {
      const path = await at.made()
      await new Promise((resolve) => setTimeout(resolve, 2100)) // before that, a time in seconds is no strong validator
      const { headers } = await at.ask(path)
      const since = String(headers['last-modified'])
      assert.ok(Date.parse(since) <= Date.parse(String(headers.date)), `Last-Modified: ${since} (8.8.2.1)`)
      const status = async (headers: Record<string, string>) => (await at.ask(path, { headers })).status
      assert.equal(await status({ 'if-modified-since': since }), 304)
      assert.equal(await status({ 'if-modified-since': past }), 200)
      assert.equal(await status({ 'if-modified-since': 'yesterday' }), 200)
      assert.equal(await status({ 'if-modified-since': since, 'if-none-match': '"other"' }), 200)
      assert.equal(await status({ 'if-modified-since': past, 'if-none-match': String(headers.etag) }), 304)
    },
  ],
  [
    '9110-13.1.4-if-unmodified-since',
    'If-Unmodified-Since refuses a write of what was changed since, unless If-Match stands beside it',
    async (at) => {
      const path = await at.made()
      const tag = String((await at.ask(path)).headers.etag)
      const put = (headers: Record<string, string>) => at.ask(path, { method: 'PUT', headers, body: at.rows[1] })
      assert.equal((await put({ 'if-unmodified-since': past })).status, 412)
      assert.equal((await put({ 'if-unmodified-since': past, 'if-match': tag })).status, 200)
      assert.equal((await put({ 'if-unmodified-since': new Date(Date.now() + 5000).toUTCString() })).status, 200)
    },
  ],
  [
    '9110-15.4-redirect',
    'a slash at the end redirects: 301 for GET and HEAD, 308 for others, with the query, on this host',
    async (at) => {
      for (const [method, status] of [
        ['GET', 301],
        ['HEAD', 301],
        ['POST', 308],
      ] as const) {
        const moved = await at.ask(`${at.collection}/?limit=1`, { method })
        assert.deepEqual([moved.status, moved.headers.location], [status, `${at.collection}?limit=1`], method)
      }
      for (const path of ['//evil.example/', '//evil.example', '/%2F/evil.example/', '/\\evil.example/']) {
        const { headers } = await at.ask(path)
        assert.doesNotMatch(String(headers.location ?? ''), /^(?:\/[/\\]|[a-z]+:)/i, path)
      }
    },
  ],
  [
    '9110-10.1.1-continue',
    'a client that waits for 100 Continue gets it, and none when its request is refused already',
    async (at) => {
      const headers = { expect: '100-continue' }
      const taken = await at.ask(at.collection, { method: 'POST', headers, body: at.rows[0] })
      assert.deepEqual([taken.continued, taken.status], [true, 201])
      const refused = await at.ask(at.collection, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'text/plain' },
        body: 'x',
      })
      assert.deepEqual([refused.continued, refused.status], [false, 415])
    },
  ],
  [
    '9110-14.2-range',
    'who knows no ranges gives the whole',
    async (at) => {
      const path = await at.made()
      const [whole, part] = [await at.ask(path), await at.ask(path, { headers: { range: 'bytes=0-1' } })]
      if (part.status !== 206) assert.deepEqual([part.status, part.body], [200, whole.body])
    },
  ],
  [
    '9457-3-problem',
    'a failure is a problem document whose status is that of the reply',
    async (at) => {
      const path = await at.made()
      for (const reply of [
        await at.ask('/nothing-here'),
        await at.ask(at.collection, { method: 'POST', body: '{' }),
        await at.ask(at.collection, { method: 'DELETE' }),
        await at.ask(path, { headers: { accept: 'image/png' } }),
        await at.ask(path, { method: 'PUT', headers: { 'if-match': '"other"' }, body: at.rows[0] }),
      ]) {
        assert.match(String(reply.headers['content-type']), /^application\/problem\+json/)
        const { status, type, title } = JSON.parse(reply.body) as Record<string, unknown>
        assert.deepEqual([status, typeof type, typeof title], [reply.status, 'string', 'string'])
      }
    },
  ],
]

export const audits: readonly Audit[] = table.map(([id, title, run]) => ({
  id,
  title,
  run: (target) => run(new Bench(target)),
}))

/** Headers that may differ from one reply to the next. */
const passing = new Set([
  'date',
  'server-timing',
  'x-request-id',
  'ratelimit',
  'ratelimit-policy',
  'connection',
  'keep-alive',
])

function stableHeaders({ headers }: Reply): Record<string, unknown> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !passing.has(name)))
}

function listOf(value: string | undefined): string[] {
  return (value ?? '').split(',').flatMap((one) => (one.trim() === '' ? [] : [one.trim()]))
}
