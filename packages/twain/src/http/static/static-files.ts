// `http.static`: serves the files of a folder, such as the built page of an application.
//
// 1. A path leads to a regular file of the folder and to nothing else: no dot files, and no links that lead out of the folder.
// 2. A browser that opens an unknown path gets `index.html`, because an application has routes of its own.

import { createReadStream } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { extname, join, sep } from 'node:path'
import { ApiError } from '#base'
import { type HttpReply, type HttpRequest, httpDate, representBytes } from '#base/http'
import type { HttpHandler } from '../routes.ts'
import { mediaTypeOf } from './media-type-of.ts'

interface StaticFile {
  path: string
  /** Below the folder, with slashes. */
  name: string
  size: number
  modifiedAt: number
}

const indexFile = 'index.html'

export function createStaticFiles(folder: string): HttpHandler {
  return async (request) => {
    const found = await findFile(folder, request.path)
    if (found !== null) return represent(found, request)
    const page = request.headers.accept?.includes('text/html') === true ? await findFile(folder, '/') : null
    if (page === null) throw new ApiError('NOT_FOUND', 'There is no such file.')
    return represent(page, request)
  }
}

/** Null if the folder has no such file, or nobody may see it. */
async function findFile(folder: string, path: string): Promise<StaticFile | null> {
  const segments = decodeSegments(path)
  if (segments === null) return null
  const name = segments.at(-1) === '' ? [...segments.slice(0, -1), indexFile] : segments
  try {
    const [root, file] = await Promise.all([realpath(folder), realpath(join(folder, ...name))])
    if (!file.startsWith(root + sep)) return null
    const found = await stat(file)
    if (!found.isFile()) return null
    return { path: file, name: name.join('/'), size: found.size, modifiedAt: found.mtimeMs }
  } catch (error) {
    if (isAbsent(error)) return null
    throw error
  }
}

/** Null for a path that no file of the folder may have. */
function decodeSegments(path: string): string[] | null {
  try {
    const segments = path.slice(1).split('/').map(decodeURIComponent)
    return segments.every((segment, at) => isName(segment) || (segment === '' && at === segments.length - 1))
      ? segments
      : null
  } catch {
    return null // an invalid percent encoding
  }
}

function isName(segment: string): boolean {
  return segment !== '' && !segment.startsWith('.') && !/[/\\\0]/.test(segment)
}

function isAbsent(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP', 'EACCES'].includes(
    String((error as NodeJS.ErrnoException).code),
  )
}

function represent({ path, name, size, modifiedAt }: StaticFile, request: HttpRequest): HttpReply {
  return representBytes(request, {
    size,
    etag: `"${size.toString(36)}-${Math.round(modifiedAt * 1000).toString(36)}"`,
    headers: {
      'cache-control': hashed.test(name) ? 'public, max-age=31536000, immutable' : 'no-cache',
      'last-modified': httpDate(modifiedAt),
      vary: 'accept',
      'x-content-type-options': 'nosniff',
    },
    described: { 'content-type': mediaTypeOf(extname(name)) },
    open: (start, end) => createReadStream(path, { start, end: end - 1 }),
  })
}

/** Build tools write the hash of a file into its name: `assets/index-B3fGh1kQ.js`. */
const hashed = /(?:^|\/)assets\/[^/]*[-.][\w-]{8,}\.\w+$/
