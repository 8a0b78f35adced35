// A fake S3 server that verifies the signature of each request. (sign-request.test.ts proves the signatures with Amazon's
// examples.)

import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { type S3Credentials, type S3Request, signRequest } from './sign-request.ts'

/** As settings of files. */
export const keys = {
  region: 'eu-north-1',
  accessKey: 'key',
  secretKey: 'secret',
  sessionToken: null as string | null,
  credentials: 'keys' as const,
}

/** Has one bucket with the name `bucket`, and accepts these keys. */
export async function openS3(t: TestContext, accepted: S3Credentials = keys) {
  const objects = new Map<string, Buffer>()
  const fail: { with: number | null } = { with: null }
  const server = createServer(async (message, reply) => {
    const body = await buffer(message)
    const url = new URL(message.url ?? '', `http://${message.headers.host}`)
    const status = fail.with ?? (isSigned() ? null : 403)
    if (status !== null) return void reply.writeHead(status).end('<Error/>')
    const key = url.pathname.replace('/bucket/', '')
    if (message.method === 'PUT') objects.set(key, body)
    if (message.method === 'DELETE') objects.delete(key)
    if (message.method !== 'GET') return void reply.writeHead(message.method === 'PUT' ? 200 : 204).end()
    if (key === '') return void reply.end(list(url.searchParams))
    const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(message.headers.range ?? '') ?? []
    reply.writeHead(206).end(objects.get(key)?.subarray(Number(start), Number(end) + 1))

    function isSigned(): boolean {
      const { authorization = '', 'x-amz-date': time = '', 'x-amz-content-sha256': bodyHash = '' } = message.headers
      const names = (/SignedHeaders=([^,]+)/.exec(authorization)?.[1] ?? '').split(';')
      const ours = ['host', 'x-amz-date', 'x-amz-content-sha256', 'x-amz-security-token']
      const others = names.filter((name) => !ours.includes(name))
      const headers = Object.fromEntries(others.map((name) => [name, String(message.headers[name])]))
      const method = message.method as S3Request['method']
      const now = new Date(String(time).replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'))
      const right = signRequest({ method, url, headers, bodyHash: String(bodyHash) }, accepted, now)
      const isWhole = createHash('sha256').update(body).digest('hex') === bodyHash
      return isWhole && right.authorization === authorization
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  t.after(close)
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { objects, fail, close, endpoint }

  function list(query: URLSearchParams): string {
    const from = query.get('start-after') ?? ''
    const found = [...objects.keys()].sort().filter((key) => key > from)
    const time = new Date().toISOString()
    const shown = found.slice(0, Number(query.get('max-keys')))
    return `<List>${shown.map((key) => `<Contents><Key>${key}</Key><LastModified>${time}</LastModified></Contents>`).join('')}</List>`
  }
}
