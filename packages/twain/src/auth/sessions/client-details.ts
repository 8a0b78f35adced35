// What a session keeps of the client that signed in: enough for a person to recognize it, too little to follow them.

import { networkOf, unknownClient } from '#base/http'

/** The order decides: Edge and Opera also name Chrome, and Chrome also names Safari. */
const browsers: readonly [pattern: RegExp, name: string][] = [
  [/\bEdg(?:e|A|iOS)?\/(\d+)/, 'Edge'],
  [/\bOPR\/(\d+)/, 'Opera'],
  [/\bSamsungBrowser\/(\d+)/, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\/(\d+)/, 'Firefox'],
  [/\b(?:Chrome|CriOS)\/(\d+)/, 'Chrome'],
  [/\bVersion\/(\d+)\S* (?:Mobile\S* )?Safari\//, 'Safari'],
]

const systems: readonly [pattern: RegExp, name: string][] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
]

/** `Firefox 132 on Linux` for the user agent of a browser; any other name as it is. Null: the client sent none. */
export function shortClient(client: string): string | null {
  if (client === unknownClient) return null
  if (!client.startsWith('Mozilla/')) return client
  for (const [pattern, browser] of browsers) {
    const version = pattern.exec(client)?.[1]
    if (version === undefined) continue
    const found = systems.find(([known]) => known.test(client))
    return `${browser} ${version}${found === undefined ? '' : ` on ${found[1]}`}`
  }
  return client
}

/** `203.0.113.0/24`, `2001:db8:1::/48`. */
export function shortAddress(address: string): string {
  const network = networkOf(address)
  if (!network.includes(':')) return network.replace(/\.\d+$/, '.0/24')
  const groups = network.split(':').slice(0, 3)
  while (groups.at(-1) === '0') groups.pop()
  return `${groups.join(':')}::/48`
}
