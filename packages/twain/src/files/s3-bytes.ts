// File contents in S3-compatible storage: one object with its own key for each upload, so nothing is shared and nothing has to
// be claimed. A file is spooled to disk first, because the request needs its length and hash in the headers.

import { createReadStream } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { wallTime } from '#base/time'
import { type FileBytes, type StoredBytes, uniqueKey } from './file-bytes.ts'
import { MissingBytes } from './first-chunk.ts'
import type { S3KeySource } from './s3-credentials.ts'
import { emptyHash, type S3Request, signRequest } from './sign-request.ts'
import { fileStorageUnavailable, Spool, type SpoolStore } from './spool.ts'

export interface S3Settings {
  /** `https://s3.eu-central-1.amazonaws.com`; the bucket is part of the path. */
  endpoint: string
  bucket: string
  region: string
  keys: S3KeySource
}

const keyPrefix = 'twain/'
const timeoutMs = 30_000
const maxListedKeys = 200

export class S3Bytes implements FileBytes {
  readonly #settings: S3Settings
  readonly #spool: Spool
  /** The last key of the previous batch. */
  #after = ''

  constructor(settings: S3Settings, spoolFolder: string, store?: SpoolStore) {
    this.#settings = settings
    this.#spool = new Spool(spoolFolder, store)
  }

  put(bytes: AsyncIterable<Uint8Array>): Promise<StoredBytes> {
    return this.#spool.receive(bytes, async ({ path, hash, size }) => {
      const key = keyPrefix + uniqueKey(hash)
      const headers = { 'content-length': String(size), 'content-type': 'application/octet-stream' }
      const response = await this.#send({ method: 'PUT', url: this.#url(key), headers, bodyHash: hash }, path)
      await expectStatus(response, 200)
      response.resume()
      return { key, size, release() {} }
    })
  }

  async *open(key: string, start: number, end: number): AsyncIterable<Uint8Array> {
    const headers = { range: `bytes=${start}-${end - 1}` }
    const response = await this.#send({ method: 'GET', url: this.#url(key), headers, bodyHash: emptyHash })
    if (response.statusCode === 404) {
      response.resume()
      throw new MissingBytes(key, 0, end)
    }
    await expectStatus(response, 206)
    yield* response as AsyncIterable<Uint8Array>
  }

  async remove(keys: readonly string[], unused: (keys: readonly string[]) => Promise<string[]>): Promise<void> {
    if (keys.length === 0) return
    for (const key of await unused(keys)) {
      const response = await this.#send({ method: 'DELETE', url: this.#url(key), headers: {}, bodyHash: emptyHash })
      await expectStatus(response, 204, 200, 404)
      response.resume()
    }
  }

  async listBatch(before: number): Promise<string[]> {
    const url = this.#url('')
    const parameters = {
      'list-type': '2',
      prefix: keyPrefix,
      'max-keys': String(maxListedKeys),
      'start-after': this.#after,
    }
    for (const [name, value] of Object.entries(parameters)) if (value !== '') url.searchParams.set(name, value)
    const response = await this.#send({ method: 'GET', url, headers: {}, bodyHash: emptyHash })
    await expectStatus(response, 200)
    const listed = [...(await text(response)).matchAll(/<Contents>.*?<\/Contents>/gs)].map(([object]) => ({
      key: /<Key>([\w./-]+)<\/Key>/.exec(object)?.[1] ?? '',
      time: Date.parse(/<LastModified>([^<]+)</.exec(object)?.[1] ?? ''),
    }))
    this.#after = listed.length === maxListedKeys ? listed.at(-1)!.key : ''
    return listed.filter(({ key, time }) => key !== '' && time < before).map(({ key }) => key)
  }

  #url(key: string): URL {
    const { endpoint, bucket } = this.#settings
    return new URL(`${endpoint.replace(/\/+$/, '')}/${bucket}/${key}`)
  }

  /** `file` is the path of the body. Network errors become UNAVAILABLE. */
  async #send(request: S3Request, file?: string): Promise<IncomingMessage> {
    const { method, url } = request
    const { region, keys } = this.#settings
    const headers = signRequest(request, { region, ...(await keys()) }, new Date(wallTime()))
    // Not imported: see http/server.ts.
    const { request: sendRequest } = process.getBuiltinModule(url.protocol === 'http:' ? 'node:http' : 'node:https')
    return new Promise((resolve, reject) => {
      const out = sendRequest(url, { method, headers, timeout: timeoutMs }, resolve)
      out.on('timeout', () => out.destroy(new Error('the file storage does not answer')))
      out.on('error', (error) => reject(fileStorageUnavailable(error)))
      if (file === undefined) out.end()
      else pipeline(createReadStream(file), out).catch((error) => reject(fileStorageUnavailable(error)))
    })
  }
}

async function expectStatus(response: IncomingMessage, ...statuses: number[]): Promise<void> {
  if (statuses.includes(response.statusCode ?? 0)) return
  const body = (await text(response)).slice(0, 500)
  const error = new Error(`the file storage answered ${response.statusCode}: ${body}`)
  throw (response.statusCode ?? 500) >= 500 ? fileStorageUnavailable(error) : error
}
