// Finds the client behind trusted proxies. Without `http.trustProxy` the peer of the socket is the client, whatever the headers
// contain, because every client can send them.
//
// The list of addresses is read from its end. Each proxy appends the address of its peer, so the entries are reliable up to the
// first untrusted address, and unreliable before it.

import { BlockList, isIP } from 'node:net'
import type { HttpRequest } from '#base/http'

export interface ProxiedClient {
  address: string
  /** `https://api.example.org`: the origin that the client used; null if no proxy sends it. */
  origin: string | null
  /** The `Host` that the client sent; null if no proxy sends it. */
  host: string | null
}

type ForwardedHeaders = HttpRequest['headers']

export class Proxies {
  readonly #trusts: (address: string, hop: number) => boolean

  constructor(setting: string) {
    const parts = partsOf(setting)
    const [first] = parts
    if (parts.length === 1 && isCount(first!)) {
      const hops = Number(first)
      this.#trusts = (_, hop) => hop < hops
    } else {
      const list = blockList(parts)!
      this.#trusts = (address) => isListed(list, address)
    }
  }

  clientOf(socket: string, headers: ForwardedHeaders): ProxiedClient {
    if (!this.#trusts(socket, 0)) return { address: socket, origin: null, host: null }
    const list = forwarded(headers)
    let address = socket
    for (let hop = 0; hop < list.addresses.length && this.#trusts(address, hop); hop++) {
      const next = bareAddress(list.addresses.at(-1 - hop)!)
      if (isIP(next) === 0) break // `unknown` or an obfuscated name: the last known address stands for it
      address = next
    }
    return { address, origin: originOf(list.proto, list.host, headers.host), host: list.host ?? null }
  }
}

interface Forwarded {
  addresses: string[]
  proto: string | undefined
  host: string | undefined
}

/** Reads `X-Forwarded-…` if present, which nearly every proxy writes; else `Forwarded` (RFC 7239). It never mixes them: a proxy
 *  that writes one may pass the other through as the client sent it. */
function forwarded(headers: ForwardedHeaders): Forwarded {
  const list = headers['x-forwarded-for']
  if (list !== undefined) {
    return {
      addresses: list.split(','),
      proto: last(headers['x-forwarded-proto']),
      host: last(headers['x-forwarded-host']),
    }
  }
  const elements = (headers.forwarded ?? '').split(',').map(pairsOf)
  const nearest = elements.at(-1)
  return {
    addresses: elements.map((pairs) => pairs.get('for') ?? ''),
    proto: nearest?.get('proto'),
    host: nearest?.get('host'),
  }
}

function last(list: string | undefined): string | undefined {
  return list?.split(',').at(-1)?.trim()
}

/** `for="[2001:db8::1]:4711";proto=https` */
function pairsOf(element: string): Map<string, string> {
  const pairs = new Map<string, string>()
  for (const pair of element.split(';')) {
    const [name = '', value = ''] = pair.split('=', 2)
    pairs.set(name.trim().toLowerCase(), value.trim().replace(/^"|"$/g, ''))
  }
  return pairs
}

/** Without the port that some proxies add. */
function bareAddress(text: string): string {
  const trimmed = text.trim()
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(trimmed)
  if (bracketed !== null) return bracketed[1]!
  return /^[\d.]+:\d+$/.test(trimmed) ? trimmed.slice(0, trimmed.indexOf(':')) : trimmed
}

function originOf(proto: string | undefined, host: string | undefined, ownHost: string | undefined): string | null {
  if (proto !== 'http' && proto !== 'https') return null
  const name = host ?? ownHost ?? ''
  return /^[\w.:[\]-]+$/.test(name) ? `${proto}://${name}` : null
}

/** A message about an invalid setting; null if it is valid. */
export function proxyMistake(setting: string | null): string | null {
  if (setting === null) return null
  const parts = partsOf(setting)
  if ((parts.length === 1 && isCount(parts[0]!)) || blockList(parts) !== null) return null
  return `http.trustProxy must be the number of proxies, or their addresses (10.0.0.7, 10.0.0.0/8, loopback) separated by commas, not "${setting}".`
}

function isCount(text: string): boolean {
  return /^\d{1,2}$/.test(text)
}

function partsOf(setting: string): string[] {
  return setting.split(',').map((part) => part.trim())
}

function blockList(parts: readonly string[]): BlockList | null {
  const list = new BlockList()
  for (const part of parts.flatMap((one) => (one === 'loopback' ? ['127.0.0.0/8', '::1'] : one))) {
    const [address = '', width, ...rest] = part.split('/')
    const family = isIP(address)
    const maxBits = family === 4 ? 32 : 128
    const bits = width === undefined ? maxBits : Number(width)
    if (family === 0 || rest.length > 0 || width === '' || !(Number.isInteger(bits) && bits >= 0 && bits <= maxBits)) {
      return null
    }
    list.addSubnet(address, bits, family === 4 ? 'ipv4' : 'ipv6')
  }
  return list
}

function isListed(list: BlockList, address: string): boolean {
  const mapped = address.startsWith('::ffff:') ? address.slice(7) : address
  const family = isIP(mapped)
  return family !== 0 && list.check(mapped, family === 4 ? 'ipv4' : 'ipv6')
}

const forwardingHeaders = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via']

/** Whether a request comes from this machine and not through a proxy on it that adds forwarding headers. */
export function isLocal({ address, headers }: Pick<HttpRequest, 'address' | 'headers'>): boolean {
  return /^(?:::ffff:)?127\.|^::1$/.test(address) && forwardingHeaders.every((name) => headers[name] === undefined)
}
