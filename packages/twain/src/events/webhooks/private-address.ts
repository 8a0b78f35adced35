// Recognizes addresses outside the public internet. A webhook to such an address could reach services that only this server
// can reach (server-side request forgery).
//
// IPv4: the special-purpose ranges (RFC 6890 and its successors) are private. IPv6: only global unicast (2000::/3) is public,
// without ranges that embed IPv4 addresses or serve documentation. So mapped, translated, unique local and link-local
// addresses are private.

import { BlockList, isIP } from 'node:net'

const specialIpv4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10', // shared by carriers
  '127.0.0.0/8',
  '169.254.0.0/16', // link-local, and the metadata of clouds
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24', // documents
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4', // multicast
  '240.0.0.0/4',
]
const specialIpv6 = [
  '2001::/23', // Teredo and other protocols
  '2001:db8::/32', // documents
  '2002::/16', // 6to4
  '3fff::/20',
]

const notPublic = listOf([...specialIpv4, ...specialIpv6])
const globalUnicast = listOf(['2000::/3'])

export function isPrivateAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return notPublic.check(address, 'ipv4')
  if (family !== 6) return true
  return !globalUnicast.check(address, 'ipv6') || notPublic.check(address, 'ipv6')
}

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    list.addSubnet(address, Number(bits), address.includes(':') ? 'ipv6' : 'ipv4')
  }
  return list
}
