// The schema itself (docs/reference/rest.md, R183, R440–R443): `/docs/contract` for CI, and `/docs/schema` with what is below it for
// people who look at the schema. This file translates; the module engine decides.

import { isRecord, validationError } from '#base'
import { type HttpReply, type HttpRequest, matchesEntityTag, notModified, pageTag, type Viewer } from '#base/http'
import type { SchemaInspector } from '#engine'
import { representOptions } from '../represent/represent.ts'
import { acceptJson } from '../request/accept.ts'
import { readJsonBody } from '../request/body.ts'
import { expectNoParameters } from '../request/query-string.ts'
import { allowedMethod } from '../request/route.ts'

const read = { methods: ['GET', 'HEAD', 'OPTIONS'] } as const

const routes = {
  '/docs/contract': read,
  '/docs/schema': read,
  '/docs/schema/files': read,
  '/docs/schema/changes': { methods: ['POST', 'OPTIONS'] },
} as const

const type = 'application/json; charset=utf-8'

export function isSchemaPath(path: string): boolean {
  return Object.hasOwn(routes, path)
}

export class SchemaHandler {
  readonly #schema: SchemaInspector
  /** Megabytes, for hundreds of types. */
  #picture: string | null = null

  constructor(schema: SchemaInspector) {
    this.#schema = schema
  }

  async answer(request: HttpRequest, viewer: Viewer): Promise<HttpReply> {
    const path = request.path as keyof typeof routes
    if (allowedMethod(request.method, routes[path]) === 'OPTIONS') return representOptions(routes[path])
    this.#schema.admit(viewer)
    acceptJson(request)
    expectNoParameters(request)
    switch (path) {
      case '/docs/contract':
        return uncached(await this.#schema.contract())
      case '/docs/schema':
        this.#picture ??= JSON.stringify(this.#schema.picture())
        return tagged(this.#picture, request)
      case '/docs/schema/files':
        return tagged(JSON.stringify(this.#schema.files()), request)
      case '/docs/schema/changes':
        return uncached(JSON.stringify(await this.#schema.changes(await readInput(request), viewer)))
    }
  }
}

async function readInput(request: HttpRequest): Promise<Record<string, unknown>> {
  const input = await readJsonBody(request)
  if (isRecord(input)) return input
  throw validationError([{ path: '', code: 'TYPE', message: 'must be an object with the text of a schema.' }])
}

function uncached(body: string): HttpReply {
  return { status: 200, headers: { 'content-type': type, 'cache-control': 'no-store' }, body }
}

function tagged(body: string, request: HttpRequest): HttpReply {
  const etag = pageTag(body)
  const headers = { etag, 'cache-control': 'private, no-cache', vary: 'authorization' }
  if (matchesEntityTag(etag, request.headers['if-none-match']))
    return notModified(headers, { type, length: body.length })
  return { status: 200, headers: { ...headers, 'content-type': type }, body }
}
