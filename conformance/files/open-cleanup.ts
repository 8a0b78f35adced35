// A store with files whose cleanup runs only when a test calls it, with a clock that the test advances. Several schemas may be
// opened on one storage, one after the other or side by side.

import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { anonymous, bodyText, plainRequest } from '../../packages/twain/src/base/http/index.ts'
import { createEngine } from '../../packages/twain/src/engine/index.ts'
import {
  defaultFileSettings,
  Files,
  openBytes,
  openFileSignatures,
  openImageMaker,
} from '../../packages/twain/src/files/index.ts'
import { loadModel } from '../../packages/twain/src/model/index.ts'
import { defaultLimits } from '../../packages/twain/src/plan/index.ts'
import { createRest } from '../../packages/twain/src/rest/index.ts'
import { openStore } from '../../packages/twain/src/store/index.ts'
import { makeTestStorage, type TestStorage } from './test-storage.ts'

export const hour = 3600 * 1000

const silent = { info() {}, warn() {}, error() {} }

/** On a storage of its own, unless one is passed. */
export async function openCleanup(t: TestContext, sdl: string, storage: TestStorage | null = null) {
  const place = storage ?? (await makeTestStorage())
  const { data, database, stored } = place
  const model = loadModel(sdl, 'photos.graphql')
  const limits = { ...defaultLimits, imageSizes: [8] }
  const store = await openStore({ data, database, poolSize: 4, model, sdl, limits, log: silent, allowBreaking: true })
  let isOpen = true
  const close = async () => {
    if (isOpen) await store.close()
    isOpen = false
  }
  t.after(async () => {
    await close()
    if (storage === null) await place.drop()
  })
  let later = 0
  const clock = () => Date.now() + later
  const engine = createEngine({ model, store, limits })
  const signatures = await openFileSignatures(store.credentials, clock)
  const records = store.files!
  const bytes = await openBytes({ settings: defaultFileSettings, data, chunks: records.chunks, clock })
  const { images, failures } = store
  const imageMaker = await openImageMaker({ ...defaultFileSettings, sizes: '8' })
  const files = new Files({
    file: model.file!,
    engine,
    records,
    bytes,
    signatures,
    images,
    imageMaker,
    failures,
    clock,
  })
  const rest = createRest(engine, null, { files })
  const request = async (method: string, target: string, body?: object) => {
    const headers = { 'content-type': 'application/json' }
    const sent = body === undefined ? {} : { headers, body: JSON.stringify(body) }
    const reply = await rest(plainRequest(method, target, sent), anonymous)
    return { status: reply.status, text: await bodyText(reply) }
  }
  return {
    files,
    records,
    bytes,
    request,
    async keep(content: string | Uint8Array): Promise<string> {
      const received = await files.receive({ bytes: of(content), name: 'x', mediaType: undefined, client: 'test' })
      const id = await files.save(received, anonymous)
      await files.release(received, true)
      return id
    },
    async write(method: string, target: string, body?: object): Promise<{ id: string }> {
      const { status, text } = await request(method, target, body)
      assert.ok(status < 300, text)
      return JSON.parse(text || '{}')
    },
    stored,
    pass(time: number) {
      later += time
    },
    close,
  }
}

export async function sweepAll(files: Files): Promise<void> {
  while (!(await files.cleanUp()));
}

export async function* of(content: string | Uint8Array): AsyncIterable<Uint8Array> {
  yield Buffer.from(content as string)
}

export async function read(files: Files, id: string): Promise<string> {
  const found = await files.find(id, anonymous, null)
  assert.ok(found)
  return bodyText({ body: await files.open(found, 0, found.size) })
}
