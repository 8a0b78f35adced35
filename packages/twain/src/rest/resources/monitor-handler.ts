// `/metrics/nodes`, `/metrics/load`, `/metrics/slow-queries`, `/metrics/statements` and `/metrics/log` (docs/reference/rest.md, R330–R335). The
// monitor decides; this file translates. No response may be cached.

import { ApiError, type Monitor } from '#base'
import type { HttpReply, HttpRequest, Viewer } from '#base/http'
import type { Limits } from '#plan'
import { representOptions } from '../represent/represent.ts'
import { acceptJson } from '../request/accept.ts'
import { maxWaitSeconds, preferredWaitSeconds } from '../request/headers.ts'
import { readParameters } from '../request/plain-parameters.ts'
import { allowedMethod } from '../request/route.ts'

const route = { methods: ['GET', 'HEAD', 'OPTIONS'] } as const

const parameters = {
  '/metrics/nodes': [],
  '/metrics/load': ['minutes', 'of'],
  '/metrics/slow-queries': [],
  '/metrics/statements': ['request'],
  '/metrics/log': ['first', 'after', 'level', 'words'],
} as const

type MonitorPath = keyof typeof parameters

export function isMonitorPath(path: string): path is MonitorPath {
  return Object.hasOwn(parameters, path)
}

export class MonitorHandler {
  readonly #monitor: Monitor | null
  readonly #maxWaitSeconds: number

  constructor(monitor: Monitor | null, limits: Limits) {
    this.#monitor = monitor
    this.#maxWaitSeconds = maxWaitSeconds(limits)
  }

  async answer(request: HttpRequest, viewer: Viewer): Promise<HttpReply> {
    if (allowedMethod(request.method, route) === 'OPTIONS') return representOptions(route)
    acceptJson(request)
    const path = request.path as MonitorPath
    const input = readParameters(request, parameters[path])
    if (this.#monitor === null) throw new ApiError('NOT_FOUND', 'This server does not watch itself.')
    if (path === '/metrics/nodes') return reply(await this.#monitor.nodes(viewer))
    if (path === '/metrics/load') return reply(this.#monitor.load(viewer, input))
    if (path === '/metrics/slow-queries') return reply(await this.#monitor.slowQueries(viewer))
    if (path === '/metrics/statements') return reply(await this.#monitor.statements(viewer, input.request))
    const wait = request.method === 'HEAD' ? 0 : Math.min(preferredWaitSeconds(request), this.#maxWaitSeconds)
    if (wait === 0) return reply(this.#monitor.log(viewer, input))
    const again = request.context?.reauthenticate ?? (() => viewer)
    const tail = await this.#monitor.follow(viewer, input, wait, again)
    return reply(tail, { 'preference-applied': `wait=${wait}` })
  }
}

function reply(value: object, more: Record<string, string> = {}): HttpReply {
  const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store', ...more }
  return { status: 200, headers, body: JSON.stringify(value) }
}
