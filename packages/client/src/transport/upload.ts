// Mutations with files: the GraphQL multipart request, with progress.
//
// In a browser only XMLHttpRequest reports the progress of an upload. Elsewhere the body is a stream, and the client counts
// the bytes that were read from it.

import { makeKey } from '../client/idempotency-key.ts'
import type { Answer } from '../errors.ts'
import type { Http, HttpRequest } from './http.ts'
import { type GraphQLRequest, readAnswer } from './post.ts'

/** The bytes sent, and the total. */
export type Progress = (sent: number, total: number) => void

export async function upload(
  http: Http,
  url: string,
  { query, operationName, variables, idempotencyKey, isSafe }: GraphQLRequest,
  onProgress: Progress | undefined,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  const files: [path: string, file: Blob][] = []
  const plain = extractFiles(variables, 'variables', files)
  const body = multipart([
    ['operations', JSON.stringify({ query, operationName, variables: plain })],
    ['map', JSON.stringify(Object.fromEntries(files.map(([path], n) => [n, [path]])))],
    ...files.map(([, file], n): Part => [String(n), file]),
  ])
  const reply = await http.send(url, {
    method: 'POST',
    headers: {
      accept: 'application/json',
      'content-type': body.type,
      // Servers require a header that another site's page can't send without a CORS preflight.
      'graphql-require-preflight': 'true',
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    },
    body,
    signal,
    isSafe,
    // An upload takes as long as the connection needs.
    timeout: 0,
    ...(onProgress !== undefined && { fetch: fetchWithProgress(onProgress) }),
  })
  return readAnswer(reply)
}

type Part = [name: string, value: string | Blob]

/** `multipart/form-data` as one blob. It is read only as it is sent, and can be sent again. */
function multipart(parts: Part[]): Blob {
  const boundary = makeKey()
  const pieces = parts.flatMap(([name, value]) => {
    const file = typeof value === 'string' ? '' : `; filename="${escaped((value as File).name ?? 'blob')}"`
    const type = typeof value === 'string' ? '' : `\r\ncontent-type: ${value.type || 'application/octet-stream'}`
    return [`--${boundary}\r\ncontent-disposition: form-data; name="${name}"${file}${type}\r\n\r\n`, value, '\r\n']
  })
  return new Blob([...pieces, `--${boundary}--\r\n`], { type: `multipart/form-data; boundary=${boundary}` })
}

/** As in the HTML specification. */
const escaped = (name: string): string => name.replace(/["\r\n]/g, encodeURIComponent)

/** The variables with null in place of each file; collects the files with their paths. */
function extractFiles(value: unknown, path: string, files: [string, Blob][]): unknown {
  if (value instanceof Blob) {
    files.push([path, value])
    return null
  }
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item, n) => extractFiles(item, `${path}.${n}`, files))
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, extractFiles(part, `${path}.${key}`, files)]),
  )
}

function fetchWithProgress(onProgress: Progress): NonNullable<HttpRequest['fetch']> {
  const { XMLHttpRequest: Request } = globalThis as unknown as { XMLHttpRequest?: new () => BrowserRequest }
  return Request === undefined
    ? (url, init) => fetchStreamed(url, init, onProgress)
    : (url, init) => sendByXhr(new Request(), url, init, onProgress)
}

function fetchStreamed(url: string, init: RequestInit, onProgress: Progress): Promise<Response> {
  const { size } = init.body as Blob
  let sent = 0
  const counted = (init.body as Blob).stream().pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        controller.enqueue(chunk)
        sent += chunk.byteLength
        onProgress(sent, size)
      },
    }),
  )
  return fetch(url, { ...init, body: counted, duplex: 'half' } as RequestInit)
}

/** The part of XMLHttpRequest that is used. */
interface BrowserRequest {
  upload: { onprogress: (event: { loaded: number; total: number }) => void }
  withCredentials: boolean
  responseType: string
  status: number
  response: ArrayBuffer
  onload: () => void
  onerror: () => void
  open(method: string, url: string): void
  setRequestHeader(name: string, value: string): void
  getResponseHeader(name: string): string | null
  send(body: unknown): void
  abort(): void
}

function sendByXhr(request: BrowserRequest, url: string, init: RequestInit, onProgress: Progress): Promise<Response> {
  const { signal } = init
  return new Promise((resolve, reject) => {
    request.open('POST', url)
    request.responseType = 'arraybuffer'
    request.withCredentials = init.credentials === 'include'
    for (const [name, value] of Object.entries(init.headers as Record<string, string>))
      request.setRequestHeader(name, value)
    request.upload.onprogress = ({ loaded, total }) => onProgress(loaded, total)
    request.onerror = () => reject(new TypeError('The upload failed.'))
    request.onload = () => {
      const headers: Record<string, string> = {}
      for (const name of ['content-type', 'retry-after']) headers[name] = request.getResponseHeader(name) ?? ''
      resolve(new Response(request.response, { status: request.status, headers }))
    }
    signal?.addEventListener('abort', () => {
      request.abort()
      reject(signal.reason)
    })
    request.send(init.body)
  })
}
