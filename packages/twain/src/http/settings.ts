// The settings of this module: `http.…`, and those of `limits.…` that this module enforces.

import { corsMistake } from './reply/cors.ts'
import { basePathMistake } from './request/base-path.ts'
import { proxyMistake } from './request/proxy.ts'
import { originMistake } from './request/public-origins.ts'

export interface HttpSettings {
  /** The public addresses of the service, separated by commas: the origin of links, and the names that `Host` may have. */
  origin: string | null
  /** The path below which the APIs are, such as `/api`; null: they are at the root. */
  basePath: string | null
  /** The folder of an application's page, which is served outside of the base path. */
  static: string | null
  /** Origins whose pages may read responses, separated by commas; `*` is all, `localhost` those of this machine. */
  cors: string | null
  /** The number of trusted proxies, or their addresses; null: none, and forwarding headers are ignored. */
  trustProxy: string | null
  /** Whether responses are compressed for clients that accept it. */
  compression: boolean
  /** Whether each response has the duration of its stages in `Server-Timing`. */
  serverTiming: boolean
  /** Who may read `/metrics`. */
  metrics: 'local' | 'open' | 'off'
}

export interface HttpLimits {
  /** For each viewer, or each address without a viewer. 0 turns a limit off, here and below. */
  requestsPerMinute: number
  /** Of all header fields. */
  headerBytes: number
  urlBytes: number
  /** Open WebSockets. */
  sockets: number
  /** Open WebSockets of one viewer, or of one address without a viewer. */
  socketsPerClient: number
  /** Bytes of replies that clients have not taken yet. */
  unsentBytes: number
  /** Seconds that a stop may take. */
  drainSeconds: number
}

export const defaultHttpSettings: HttpSettings = {
  origin: null,
  basePath: null,
  static: null,
  cors: null,
  trustProxy: null,
  compression: true,
  serverTiming: false,
  metrics: 'local',
}

export const defaultHttpLimits: HttpLimits = {
  requestsPerMinute: 600,
  headerBytes: 16_384,
  urlBytes: 8192,
  sockets: 20_000,
  socketsPerClient: 200,
  unsentBytes: 268_435_456,
  drainSeconds: 30,
}

/** A message for each invalid setting. */
export function httpMistakes({ origin, basePath, static: folder, cors, trustProxy }: HttpSettings): string[] {
  const mistakes = [originMistake(origin), basePathMistake(basePath), corsMistake(cors), proxyMistake(trustProxy)]
  if (folder !== null && basePath === null)
    mistakes.push('http.static needs http.basePath, such as /api: then no path of a page can be one of the API.')
  return mistakes.filter((mistake) => mistake !== null)
}
