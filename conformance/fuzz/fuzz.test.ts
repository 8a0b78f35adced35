// The fuzz driver against our own services: documented statuses only, bodies that fit their schemas, no 500. As the system, which
// rules do not restrict, and as an anonymous viewer, to whom most is refused.
// stores: sqlite (conformance/stores compares the answers of both)
// all samples: sqlite

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type BodyStream, bodyText, plainRequest } from '../../packages/twain/src/base/http/index.ts'
import { defaultWebhookSettings } from '../../packages/twain/src/events/index.ts'
import { Mailbox } from '../../packages/twain/src/mail/index.ts'
import { openService } from '../../packages/twain/src/main/index.ts'
import { reservedPaths } from '../../packages/twain/src/model/system/reserved-names.ts'
import { defaultLimits } from '../../packages/twain/src/plan/index.ts'
import { makeTestPlace } from '../../packages/twain/src/store/test-place.fixture.ts'
import { samples } from '../generate/samples.ts'
import type { FuzzReply } from './check-reply.ts'
import { fuzz, type Send } from './fuzz.ts'
import { ApiDocument } from './openapi-document.ts'
import type { FuzzRequest } from './requests.ts'

const root = join(import.meta.dirname, '../..')
const seed = Number(process.env.FUZZ_SEED ?? 1)

// `minShare`: the share of the schema's operations that succeed at least once. What the rules refuse can't.
// The server's own paths are not counted: most of them need the role `admin`.
const allRuns = [
  { file: 'examples/blog/schema.graphql', as: 'system', requests: 2500, minShare: 0.75 },
  { file: 'examples/blog/schema.graphql', as: 'anyone', requests: 1500, minShare: 0.15 },
  { file: 'conformance/schemas/shop.graphql', as: 'anyone', requests: 2200, minShare: 0.85 },
  { file: 'conformance/schemas/hospital.graphql', as: 'anyone', requests: 1000, minShare: 0.8 },
  { file: 'conformance/schemas/music.graphql', as: 'anyone', requests: 1000, minShare: 0.8 },
] as const

/** `npm test` tries the first two. */
const runs = allRuns.filter((_, index) => samples(index < 2, true))

/** Everything that any run has seen. */
const seen = new Set<string | number>()

for (const { file, as, requests, minShare } of runs) {
  test(`${requests} requests to ${file} as ${as} are answered as its document says (seed ${seed})`, async (t) => {
    const { json, send } = await serve(t, file, as)
    const { sent, succeeded, problems, statuses, types } = await fuzz(json, send, requests, seed)

    assert.deepEqual(problems, [])
    assert.equal(sent, requests)
    const ofServer = [...reservedPaths(), 'invitations']
    const own = new ApiDocument(json).operations.filter(({ path }) => !ofServer.includes(path.split('/')[1]!))
    const done = own.filter(({ id }) => succeeded.has(id))
    assert.ok(
      done.length >= own.length * minShare,
      `only ${done.length} of ${own.length} operations ever succeeded: ${done.map(({ id }) => id)}`,
    )
    for (const status of [200, 400, 404]) assert.ok(statuses.has(status), `no ${status} was seen`)
    for (const one of [...statuses.keys(), ...types, ...succeeded]) seen.add(one)
  })
}

test('every kind of request was sent, and succeeded', {
  skip: samples<string | false>('npm run samples makes all runs', false),
}, () => {
  const expected = [
    ...[201, 204, 301, 304, 308, 409, 412, 415],
    ...['application/xml', 'application/x-ndjson', 'text/csv', 'application/problem+xml'],
    ...[
      'POST application/xml',
      'POST application/x-ndjson',
      'POST text/csv',
      'PUT application/xml',
      'PATCH application/json-patch+json',
    ],
    ...['linkTagsOfPost', 'unlinkTagsOfPost', 'an array', 'uploadFile', 'readFile', 206],
  ]
  for (const one of expected) assert.ok(seen.has(one), String(one))
})

test('the fuzz driver finds a server that breaks its document', async (t) => {
  const { json, send } = await serve(t, 'conformance/schemas/music.graphql', 'anyone')
  const liars: Record<string, Send> = {
    'is not documented': async (request) => ({ ...(await send(request)), status: 418 }),
    'a 500': async (request) => ({ ...(await send(request)), status: 500 }),
    'does not fit its schema': async (request) => {
      const reply = await send(request)
      return { ...reply, body: reply.body.replaceAll('"id":"', '"id":7,"was":"') }
    },
    'is taken although': async (request) =>
      send(request.wrong === 'parameter' ? { ...request, target: request.target.split('?')[0]! } : request),
    'the body is no XML': (request) => cutting('application/xml', request),
    'the root is': async (request) => {
      const reply = await send(request)
      return { ...reply, body: reply.body.replace(/^(<\?xml.*\n)<(\w+)>(.*)<\/\2>/s, '$1<not-$2>$3</not-$2>') }
    },
    'the body is no CSV': (request) => cutting('text/csv', request),
    'the last line does not end': (request) => cutting('application/x-ndjson', request),
    'not "text/csv"': async (request) =>
      send(request.accept === 'text/csv' ? { ...request, headers: { ...request.headers, accept: '*/*' } } : request),
    'is refused': async (request) => {
      const known = await send(request)
      return known.status === 201 ? send({ ...request, body: '{}' }) : known
    },
  }
  async function cutting(type: string, request: FuzzRequest): Promise<FuzzReply> {
    const reply = await send(request)
    const isIt = reply.headers['content-type']?.startsWith(type) === true
    return isIt ? { ...reply, body: reply.body.slice(0, -1 - Number(type.endsWith('xml'))) } : reply
  }
  for (const [problem, lie] of Object.entries(liars)) {
    const { problems } = await fuzz(json, lie, 1400, seed)
    assert.ok(
      problems.some((found) => found.includes(problem)),
      `${problem}: ${problems[0]}`,
    )
  }
})

interface Served {
  json: object
  send: Send
}

async function serve(t: TestContext, file: string, as: 'system' | 'anyone'): Promise<Served> {
  const data = mkdtempSync(join(tmpdir(), 'twain-fuzz-'))
  const log = { info() {}, warn() {}, error() {} }
  const { place, drop } = await makeTestPlace(data)
  const webhooks = { ...defaultWebhookSettings, allowPrivate: true }
  const environment = { limits: defaultLimits, webhooks, log, mailbox: new Mailbox() }
  const service = await openService({ schemaFile: join(root, file), ...place, ...environment })
  t.after(async () => {
    await service.close()
    await drop()
    rmSync(data, { recursive: true })
  })
  const handle = as === 'system' ? service.handleAsSystem : service.handle
  const text = String((await service.handle(plainRequest('GET', '/openapi.json?profile=full'))).body)
  return {
    json: JSON.parse(text) as object,
    async send({ method, target, headers, body: written }) {
      // Webhooks to made-up addresses must stay on this machine.
      const isHook = typeof written === 'string' && target.startsWith('/webhooks')
      const body = isHook ? written.replaceAll('https://example.org/', 'http://127.0.0.1:1/') : written
      const reply = await handle(plainRequest(method, target, body === undefined ? { headers } : { headers, body }))
      const lower = Object.entries(reply.headers).map(([name, value]) => [name.toLowerCase(), String(value)])
      const isEndless = String(reply.headers['content-type']).startsWith('text/event-stream')
      if (isEndless) await (reply.body as BodyStream)[Symbol.asyncIterator]().return?.()
      const text = isEndless ? '' : await bodyText(reply)
      return { status: reply.status, headers: Object.fromEntries(lower), body: text }
    },
  }
}
