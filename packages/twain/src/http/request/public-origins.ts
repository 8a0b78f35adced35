// The public addresses of the service (`http.origin`), and which `Host` a request may name.
//
// A page of evil.example can make its name lead to 127.0.0.1 (DNS rebinding). Its browser then sends requests to this server,
// with `Host: evil.example`, and lets the page read the answers. Names that only this server has can't be used that way, and
// neither can `localhost` and literal addresses.

import { isIP } from 'node:net'

/** Accepted values of `Host` that are remembered: many clients send the same one. */
const maxRemembered = 100

export class PublicOrigins {
  readonly #origins: ReadonlyMap<string, string>
  readonly #first: string | null
  readonly #admitted = new Set<string>()

  /** Null: the service has no public address that it knows. */
  constructor(setting: string | null) {
    const origins = setting === null ? [] : originsOf(setting)
    this.#origins = new Map(origins.map((origin) => [new URL(origin).hostname, origin]))
    this.#first = origins[0] ?? null
  }

  /** The origin of links in the answer to a request with this `Host`: the public one with that name, or else the first. Null:
   *  links are relative. */
  linkOrigin(host: string | undefined): string | null {
    if (this.#origins.size < 2) return this.#first
    return this.#origins.get(hostName(host ?? '') ?? '') ?? this.#first
  }

  includes(origin: string): boolean {
    return this.#first !== null && [...this.#origins.values()].includes(origin)
  }

  admits(host: string): boolean {
    if (this.#admitted.has(host)) return true
    const name = hostName(host)
    if (name === null || !(name === 'localhost' || isLiteral(name) || this.#origins.has(name))) return false
    if (this.#admitted.size < maxRemembered) this.#admitted.add(host)
    return true
  }
}

/** The name without its port, in lower case; null if it is not a valid `Host` (RFC 9110, 7.2). */
function hostName(host: string): string | null {
  const [, name] = /^([\w.-]+|\[[0-9a-fA-F:.]+\])(?::\d{0,5})?$/.exec(host) ?? []
  return name === undefined ? null : name.toLowerCase().replace(/\.$/, '')
}

function isLiteral(name: string): boolean {
  return isIP(name.replace(/^\[|\]$/g, '')) !== 0
}

/** Whether this address of the setting `host` is reachable only from this machine. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}

/** The origins of a valid setting, as browsers write them. */
export function originsOf(setting: string): string[] {
  return setting.split(',').map((part) => new URL(part.trim()).origin)
}

/** A message about an invalid setting; null if it is valid. */
export function originMistake(setting: string | null): string | null {
  if (setting === null || setting.split(',').every((part) => isOrigin(part.trim()))) return null
  return `http.origin must be the public address of the service, such as https://api.example.org, or several separated by commas, not "${setting}".`
}

function isOrigin(text: string): boolean {
  if (!/^https?:\/\/[^/?#@\s]+$/i.test(text) || !URL.canParse(text)) return false
  const { hostname } = new URL(text)
  return hostname !== '' && !hostname.includes('*')
}
