// Bytes in S3-compatible storage: an object for each upload, under a key of its own, so that nothing is shared and nothing has
// to be claimed. A file is spooled first, since its length and hash stand in the head of the request that puts it.

import { createReadStream } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { type FileBytes, type StoredBytes, uniqueKey } from './file-bytes.ts'
import { emptyHash, type S3Credentials, type S3Request, signRequest } from './sign-request.ts'
import { fileStorageUnavailable, Spool } from './spool.ts'

export interface S3Settings extends S3Credentials {
  /** `https://s3.eu-central-1.amazonaws.com`; the bucket stands in the path. */
  endpoint: string
  bucket: string
}

const prefix = 'twain/'
const patience = 30_000
const mostListed = 200

export class S3Bytes implements FileBytes {
  readonly #settings: S3Settings
  readonly #spool: Spool
  /** The key behind which `portion` goes on. */
  #after = ''

  constructor(settings: S3Settings, spoolFolder: string) {
    this.#settings = settings
    this.#spool = new Spool(spoolFolder)
  }

  put(bytes: AsyncIterable<Uint8Array>): Promise<StoredBytes> {
    return this.#spool.receive(bytes, async ({ path, hash, size }) => {
      const key = prefix + uniqueKey(hash)
      const headers = { 'content-length': String(size), 'content-type': 'application/octet-stream' }
      const reply = await this.#send({ method: 'PUT', url: this.#url(key), headers, bodyHash: hash }, path)
      await expect(reply, 200)
      reply.resume()
      return { key, size, release() {} }
    })
  }

  async *open(key: string, start: number, end: number): AsyncIterable<Uint8Array> {
    const headers = { range: `bytes=${start}-${end - 1}` }
    const reply = await this.#send({ method: 'GET', url: this.#url(key), headers, bodyHash: emptyHash })
    await expect(reply, 206)
    yield* reply as AsyncIterable<Uint8Array>
  }

  async remove(keys: readonly string[], unused: (keys: readonly string[]) => Promise<string[]>): Promise<void> {
    if (keys.length === 0) return
    for (const key of await unused(keys)) {
      const reply = await this.#send({ method: 'DELETE', url: this.#url(key), headers: {}, bodyHash: emptyHash })
      await expect(reply, 204, 200, 404)
      reply.resume()
    }
  }

  async listBatch(before: number): Promise<string[]> {
    const url = this.#url('')
    const asked = { 'list-type': '2', prefix, 'max-keys': String(mostListed), 'start-after': this.#after }
    for (const [name, value] of Object.entries(asked)) if (value !== '') url.searchParams.set(name, value)
    const reply = await this.#send({ method: 'GET', url, headers: {}, bodyHash: emptyHash })
    await expect(reply, 200)
    const listed = [...(await text(reply)).matchAll(/<Contents>.*?<\/Contents>/gs)].map(([object]) => ({
      key: /<Key>([\w./-]+)<\/Key>/.exec(object)?.[1] ?? '',
      time: Date.parse(/<LastModified>([^<]+)</.exec(object)?.[1] ?? ''),
    }))
    this.#after = listed.length === mostListed ? listed.at(-1)!.key : ''
    return listed.filter(({ key, time }) => key !== '' && time < before).map(({ key }) => key)
  }

  #url(key: string): URL {
    const { endpoint, bucket } = this.#settings
    return new URL(`${endpoint.replace(/\/+$/, '')}/${bucket}/${key}`)
  }

  /** `file`: the path of what is sent along. Whatever goes wrong on the way is no fault of the request. */
  #send(asked: S3Request, file?: string): Promise<IncomingMessage> {
    const { method, url } = asked
    const headers = signRequest(asked, this.#settings, new Date())
    // Not imported: see http/server.ts.
    const { request: make } = process.getBuiltinModule(url.protocol === 'http:' ? 'node:http' : 'node:https')
    return new Promise((resolve, reject) => {
      const out = make(url, { method, headers, timeout: patience }, resolve)
      out.on('timeout', () => out.destroy(new Error('the storage of files does not answer')))
      out.on('error', (error) => reject(fileStorageUnavailable(error)))
      if (file === undefined) out.end()
      else pipeline(createReadStream(file), out).catch((error) => reject(fileStorageUnavailable(error)))
    })
  }
}

async function expect(reply: IncomingMessage, ...statuses: number[]): Promise<void> {
  if (statuses.includes(reply.statusCode ?? 0)) return
  const said = (await text(reply)).slice(0, 500)
  const error = new Error(`the storage of files answered ${reply.statusCode}: ${said}`)
  throw (reply.statusCode ?? 500) >= 500 ? fileStorageUnavailable(error) : error
}
