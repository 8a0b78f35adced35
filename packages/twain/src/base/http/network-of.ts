// The network that an address belongs to, for limits that count clients by address.

import { isIPv6 } from 'node:net'

/** A client with one IPv6 address owns its /64; a mapped IPv4 address counts as that IPv4 address. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)
  if (mapped !== null) return mapped[1]!
  const [bare = ''] = address.split('%')
  if (!isIPv6(bare)) return bare
  const [head = '', tail] = bare.split('::')
  const groups = head === '' ? [] : head.split(':')
  const last = tail === undefined || tail === '' ? [] : tail.split(':')
  const width = last.at(-1)?.includes('.') ? last.length + 1 : last.length
  if (tail !== undefined) while (groups.length < 8 - width) groups.push('0')
  return [...groups, ...last]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}
