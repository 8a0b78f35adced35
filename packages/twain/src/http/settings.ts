// What an operator may say about the HTTP floor, in the words of the settings `http.…` and of those `limits.…` that are its own.

import { corsMistake } from './cors.ts'
import { proxyMistake } from './proxy.ts'

export interface HttpSettings {
  /** Origins whose pages may read our answers, divided by commas; `*` is all, `localhost` those of this machine. */
  cors: string | null
  /** How many proxies stand before us, or which addresses are theirs; null: none, and what they would say counts nothing. */
  trustProxy: string | null
  /** Whether answers are compressed for who takes it. */
  compress: boolean
  /** Whether each answer says in `Server-Timing` what its stages took. */
  timing: boolean
  /** Who may read `/metrics`. */
  metrics: 'local' | 'open' | 'off'
}

export interface HttpLimits {
  /** Requests a minute of one viewer, or of one address where nobody is signed in. 0 turns a limit off, here and below. */
  rate: number
  /** Bytes of all header fields. */
  header: number
  /** Bytes of a URL. */
  url: number
  /** WebSockets at once. */
  sockets: number
}

export const defaultHttpSettings: HttpSettings = {
  cors: null,
  trustProxy: null,
  compress: true,
  timing: false,
  metrics: 'local',
}

export const defaultHttpLimits: HttpLimits = { rate: 600, header: 16_384, url: 8192, sockets: 20_000 }

/** A sentence for each thing that is wrong with them. */
export function httpMistakes({ cors, trustProxy }: HttpSettings): string[] {
  return [corsMistake(cors), proxyMistake(trustProxy)].filter((mistake) => mistake !== null)
}
