// The web console at `/console`: one page for all paths below it, and its files, built from packages/console. All of it is public
// and the same for everyone: the page reads the data through the APIs, as its user.
//
// 1. The names of the files contain hashes of their content, so that a browser never asks for one again.
// 2. Nothing comes from another host, and no script or style is inline.

import { readFile } from 'node:fs/promises'
import { ApiError, type MaybePromise } from '#base'
import { type HttpReply, type HttpRequest, matchesEntityTag, notModified, pageTag } from '#base/http'
import { isLocal } from '../request/proxy.ts'
import { mediaTypeOf } from '../static/media-type-of.ts'
import type { SignInLinks } from './sign-in-links.ts'

export interface ConsoleOptions {
  /** The links of `twain dev`; null: there are none. */
  links: SignInLinks | null
  /** A token with the role admin, for the developer. */
  makeToken(): Promise<{ token: string; expiresAt: string }>
}

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const filesPath = '/console/files/'
const signInPath = '/console/sign-in'
const pageName = 'index.html'

export function createConsole(options: ConsoleOptions): (request: HttpRequest) => MaybePromise<HttpReply> {
  return (request) => {
    if (request.path === signInPath) return signIn(request, options)
    const { method, path } = request
    if (method === 'OPTIONS') return { status: 204, headers: { allow }, body: null }
    if (method !== 'GET' && method !== 'HEAD')
      throw new ApiError('METHOD_NOT_ALLOWED', `${path} is read-only.`, { headers: { allow } })
    if (path.startsWith(filesPath)) return answerFile(path.slice(filesPath.length))
    if (isFileOfAnotherBuild(request)) throw nothingHere()
    return answerPage(request)
  }
}

const allow = 'GET, HEAD, OPTIONS'

/** An open tab of another build may load a file that is gone. The id of a row may end like a file too, but a browser opens its page as
 *  HTML. */
function isFileOfAnotherBuild({ path, headers }: HttpRequest): boolean {
  return /\.(?:js|mjs|css|map|json|svg|png|ico|woff2?)$/.test(path) && headers.accept?.includes('text/html') !== true
}

/** The page is the same for all paths: its script reads the address. */
async function answerPage(request: HttpRequest): Promise<HttpReply> {
  const text = (await readBuilt(pageName)).toString().replaceAll('{base}', request.basePath ?? '')
  const etag = pageTag(text)
  const headers = {
    etag,
    'cache-control': 'no-cache',
    'content-security-policy': policy,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  }
  const type = mediaTypeOf('.html')
  if (matchesEntityTag(etag, request.headers['if-none-match']))
    return notModified(headers, { type, length: text.length })
  return { status: 200, headers: { ...headers, 'content-type': type }, body: text }
}

async function answerFile(name: string): Promise<HttpReply> {
  const [, extension] = /^[a-z]+-[\w-]{8}(\.js|\.css)$/.exec(name) ?? []
  if (extension === undefined) throw nothingHere()
  const headers = {
    'content-type': mediaTypeOf(extension),
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
  }
  return { status: 200, headers, body: (await readBuilt(name)).toString() }
}

async function readBuilt(name: string): Promise<Buffer> {
  const folder = new URL('../../../console/', import.meta.url)
  try {
    return await readFile(new URL(name, folder))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    throw name === pageName
      ? new ApiError('NOT_FOUND', 'The console is not built.', { hint: 'Run npm run prepare in the repository.' })
      : nothingHere()
  }
}

function nothingHere(): ApiError {
  return new ApiError('NOT_FOUND', 'There is nothing here.', { hint: 'The console is at /console.' })
}

/** Exchanges the key of a link for a token. */
async function signIn(request: HttpRequest, { links, makeToken }: ConsoleOptions): Promise<HttpReply> {
  if (links === null) throw nothingHere()
  if (request.method !== 'POST')
    throw new ApiError('METHOD_NOT_ALLOWED', 'The sign-in takes a POST.', { headers: { allow: 'POST' } })
  if (!isLocal(request))
    throw new ApiError('FORBIDDEN', 'The link works on the machine of twain dev only.', {
      hint: 'Get a token there with twain token --role admin, and enter it here.',
    })
  // A page of another origin can send other types without a preflight request.
  if (!/^application\/json\b/.test(request.headers['content-type'] ?? ''))
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json.')
  const key = keyIn(Buffer.from(await request.body()).toString())
  if (key === null) throw new ApiError('BAD_REQUEST', 'The body must be an object with the text "key".')
  if (!links.use(key))
    throw new ApiError('UNAUTHENTICATED', 'This link was used before, or has expired.', {
      hint: 'The terminal of twain dev shows the next one.',
    })
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
  return { status: 200, headers, body: JSON.stringify(await makeToken()) }
}

function keyIn(text: string): string | null {
  try {
    const { key } = JSON.parse(text) as { key?: unknown }
    return typeof key === 'string' ? key : null
  } catch {
    return null // not JSON, or null
  }
}
