// Both APIs over one temporary store, without a port, with a record of every plan that the engine executed. The store is that of
// TWAIN_TEST_STORE, SQLite by default.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import {
  type ApiHandler,
  anonymous,
  bodyText,
  type HttpReply,
  type HttpRequest,
  plainRequest,
  type Viewer,
} from '../../packages/twain/src/base/http/index.ts'
import type { Log } from '../../packages/twain/src/base/index.ts'
import type { ServiceCode } from '../../packages/twain/src/code/define-service.ts'
import { bindCode, mayReadThenWrite, runCode } from '../../packages/twain/src/code/index.ts'
import { type createEngine, type Engine, openEngine, wrapCodeEngine } from '../../packages/twain/src/engine/index.ts'
import { createEvents, openCursors } from '../../packages/twain/src/events/index.ts'
import { defaultFileSettings, Files, openBytes, openFileSignatures } from '../../packages/twain/src/files/index.ts'
import { createGraphql } from '../../packages/twain/src/graphql/index.ts'
import { loadModel, type Model } from '../../packages/twain/src/model/index.ts'
import {
  type AuthorizedPlan,
  type BoundPlan,
  defaultLimits,
  type Limits,
  type Plan,
} from '../../packages/twain/src/plan/index.ts'
import { createRest } from '../../packages/twain/src/rest/index.ts'
import { openStore, type Store } from '../../packages/twain/src/store/index.ts'
import { wallClock } from '../../packages/twain/src/store/store-clock.ts'
import { makeTestPlace, type StoreName, testedStore } from '../../packages/twain/src/store/test-place.fixture.ts'
import { freezeModel } from './freeze-model.ts'

export interface TestApis extends ApiClient {
  model: Model
  engine: Engine
  /** Null where no field is of the type `File`. */
  files: Files | null
  /** Plans since the last `executed.length = 0`. */
  executed: BoundPlan[]
  /** The APIs for this viewer. The methods without it act as an anonymous viewer. */
  as(viewer: Viewer): ApiClient
  /** Deletes the change log, as far as its entries have positions, as if their retention time had passed. */
  forgetChanges(): Promise<void>
  /** Sends a raw request, for what no client would send. */
  send(api: 'rest' | 'graphql', request: RawRequest, viewer?: Viewer): Promise<HttpReply>
  close(): Promise<void>
}

export interface ApiClient {
  rest(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<RestAnswer>
  graphql(query: string, variables?: unknown): Promise<GraphqlAnswer>
}

export interface RestAnswer {
  status: number
  headers: Record<string, string | string[]>
  body: unknown
}

export interface GraphqlAnswer {
  status: number
  data: Record<string, unknown> | null
  errors: GraphqlError[]
}

export interface GraphqlError {
  message: string
  path?: (string | number)[]
  extensions?: { code?: string; hint?: string; errors?: { path: string; code: string; message: string }[] }
}

export interface RawRequest {
  method: string
  path: string
  headers?: Record<string, string>
  body?: string | Uint8Array
}

const silent = { info() {}, warn() {}, error() {} }

/** Changes an authorized plan before the store runs it, given the plan of the request: to show that a suite finds such a bug. */
export type Tamper = (plan: AuthorizedPlan, sent: Plan, viewer: Viewer) => AuthorizedPlan

export async function openApis(
  sdl: string,
  limits: Partial<Limits> = {},
  tamper?: Tamper,
  denials?: Parameters<typeof createEngine>[0]['denials'],
  on: StoreName = testedStore,
  /** The export of `twain.config.ts`, and a handler for what it throws. */
  own: {
    service?: ServiceCode
    log?: Log
    onError?: (error: unknown, id: string) => void
    /** How long the code of a transaction may take by itself. */
    maxCodeMs?: number
    poolSize?: number
    /** REST and GraphQL have `/changes` and `changes`. */
    hasFeed?: true
    hashPassword?: (password: string) => Promise<string>
  } = {},
): Promise<TestApis> {
  const data = await mkdtemp(join(tmpdir(), 'twain-conformance-'))
  const { place, drop } = await makeTestPlace(data, on)
  const all = { ...defaultLimits, ...limits }
  const model = freezeModel(loadModel(sdl, 'schema.graphql'))
  const bound = bindCode(own.service ?? null, model)
  const store = await openStore({
    ...place,
    model,
    sdl,
    limits: all,
    log: silent,
    isSerializable: mayReadThenWrite(bound),
    minDeepOffset: 2, // so that small tables have deep pages
    ...(own.poolSize === undefined ? {} : { poolSize: own.poolSize }),
  }).catch(async (error) => {
    await drop()
    throw error
  })
  const sent: BoundPlan[] = []
  const run: Store['run'] = (plan, values, extras, viewer) =>
    store.run(tamper?.(plan, sent.at(-1)!.plan, viewer) ?? plan, values, extras, viewer)
  const { hashPassword = async (password: string) => password } = own
  const code = runCode(bound, {
    model,
    engine: () => engine,
    limits: all,
    log: own.log ?? silent,
  })
  const clock = Date.now
  const signatures = await openFileSignatures(store.credentials, clock)
  const signFile = model.file === null ? undefined : (id: string, variant: string) => signatures.sign(id, variant)
  const real = openEngine({
    model,
    store: {
      run,
      queryFor: store.queryFor.bind(store),
      projector: store.projector,
      idempotency: store.idempotency,
      jobs: store.jobs,
      backgroundDeletes: store.backgroundDeletes,
      transact: store.transact.bind(store),
      transaction: store.transaction.bind(store),
    },
    limits: all,
    passwords: { hashPassword, admitSignUp: async () => {}, confirm: async () => ({ kind: 'recent' }) },
    code,
    denials,
    signFile,
    maxCodeMs: own.maxCodeMs ?? 20_000,
  })
  const engine = wrapCodeEngine(real, {
    execute(boundPlan, viewer, options) {
      sent.push(boundPlan)
      return real.execute(boundPlan, viewer, options)
    },
  })
  const { file } = model
  const records = store.files
  const files =
    file === null || records === null
      ? null
      : new Files({
          file,
          engine,
          records,
          bytes: await openBytes({ settings: defaultFileSettings, data, chunks: records.chunks, clock }),
          signatures,
          images: store.images,
          imageMaker: null,
          failures: store.failures,
          clock,
        })
  const telling = own.onError === undefined ? {} : { onError: own.onError }
  const events =
    own.hasFeed === undefined
      ? null
      : createEvents({
          engine,
          store,
          cursors: await openCursors(store.changes, store.credentials, clock),
          log: silent,
        })
  const handlers: Record<'rest' | 'graphql', ApiHandler> = {
    rest: createRest(engine, null, { files, events, ...telling }),
    graphql: createGraphql(engine, null, { files, events, ...telling }),
  }
  const sendAs = (viewer: Viewer, api: 'rest' | 'graphql', raw: RawRequest) =>
    handlers[api](requestOf(raw, all.bodyBytes), viewer)
  const as = (viewer: Viewer): ApiClient => ({
    async rest(method, path, body, headers = {}) {
      const reply = await sendAs(viewer, 'rest', jsonRequest(method, path, body, headers))
      return { status: reply.status, headers: lowerCase(reply.headers), body: await parseBody(reply) }
    },
    async graphql(query, variables) {
      const headers = { accept: 'application/json' }
      const reply = await sendAs(viewer, 'graphql', jsonRequest('POST', '/graphql', { query, variables }, headers))
      const answer = (await parseBody(reply)) as { data?: Record<string, unknown> | null; errors?: GraphqlError[] }
      return { status: reply.status, data: answer.data ?? null, errors: answer.errors ?? [] }
    },
  })

  return {
    model,
    engine,
    files,
    executed: sent,
    as,
    ...as(anonymous),
    async forgetChanges() {
      await store.changes.prune(wallClock, -1e12)
    },
    send: async (api, raw, viewer = anonymous) => sendAs(viewer, api, raw),
    async close() {
      await events?.close()
      await store.close()
      await drop()
      await rm(data, { recursive: true })
    },
  }
}

/** The data of a GraphQL answer that must have no errors. */
export async function graphqlData(
  apis: ApiClient,
  query: string,
  variables?: unknown,
): Promise<Record<string, unknown>> {
  const { data, errors } = await apis.graphql(query, variables)
  if (errors.length > 0 || data === null)
    throw new Error(`${JSON.stringify(errors)} for ${query} ${JSON.stringify(variables)}`)
  return data
}

/** The body of a REST answer that must succeed. */
export async function restBody(apis: ApiClient, method: string, path: string, body?: unknown): Promise<unknown> {
  const answer = await apis.rest(method, path, body)
  if (answer.status >= 300)
    throw new Error(`${answer.status} ${JSON.stringify(answer.body)} for ${method} ${path} ${JSON.stringify(body)}`)
  return answer.body
}

/** Uploads a file as this viewer, without checking rules; returns its id. */
export async function uploadFile(
  { files }: Pick<TestApis, 'files'>,
  bytes: Uint8Array,
  viewer: Viewer,
): Promise<string> {
  if (files === null) throw new Error('no field of the schema is of the type File')
  const received = await files.receive({ bytes: Readable.from([bytes]), name: 'a', mediaType: 'a/b', client: 'test' })
  const id = await files.save(received, viewer)
  await files.release(received, true)
  return id
}

function jsonRequest(method: string, path: string, body: unknown, headers: Record<string, string>): RawRequest {
  if (body === undefined) return { method, path, headers }
  return { method, path, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) }
}

function requestOf(raw: RawRequest, limit: number): HttpRequest {
  const { method, path, body } = raw
  const headers = { host: 'localhost', ...raw.headers }
  if (body !== undefined && Buffer.byteLength(body) > limit)
    throw new Error('Bodies over the limit are refused by the HTTP server: test them over a port.')
  return plainRequest(method, path, body === undefined ? { headers } : { headers, body })
}

function lowerCase(headers: HttpReply['headers']): HttpReply['headers'] {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

async function parseBody(reply: HttpReply): Promise<unknown> {
  const text = await bodyText(reply)
  if (text === '') return null
  if (String(reply.headers['content-type']).startsWith('application/x-ndjson'))
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
  return String(reply.headers['content-type']).includes('json') ? JSON.parse(text) : text
}
