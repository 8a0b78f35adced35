// Whose an address is, where somebody is counted by it.

import { isIPv6 } from 'node:net'

/** Who has one IPv6 address has the whole /64; a mapped IPv4 address is that one. */
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
