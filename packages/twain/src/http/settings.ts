// What an operator may say about the HTTP floor, in the words of the settings `http.…` and of those `limits.…` that are its own.

import { corsMistake } from './cors.ts'
import { proxyMistake } from './proxy.ts'

export interface HttpSettings {
  /** Origins whose pages may read our answers, divided by commas; `*` is all, `localhost` those of this machine. */
  cors: string | null
  /** How many proxies stand before us, or which addresses are theirs; null: none, and what they would say counts nothing. */
  trustProxy: string | null
  /** Whether answers are compressed for who takes it. */
  compression: boolean
  /** Whether each answer says in `Server-Timing` what its stages took. */
  serverTiming: boolean
  /** Who may read `/metrics`. */
  metrics: 'local' | 'open' | 'off'
}

export interface HttpLimits {
  /** Requests a minute of one viewer, or of one address where nobody is signed in. 0 turns a limit off, here and below. */
  requestsPerMinute: number
  /** Bytes of all header fields. */
  headerBytes: number
  /** Bytes of a URL. */
  urlBytes: number
  /** WebSockets at once. */
  sockets: number
}

export const defaultHttpSettings: HttpSettings = {
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
}

/** A sentence for each thing that is wrong with them. */
export function httpMistakes({ cors, trustProxy }: HttpSettings): string[] {
  return [corsMistake(cors), proxyMistake(trustProxy)].filter((mistake) => mistake !== null)
}
