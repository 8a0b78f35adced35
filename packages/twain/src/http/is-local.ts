// Whether a request comes from this machine and not through a proxy on it that adds forwarding headers.

import type { HttpRequest } from '#base/http'

const forwardingHeaders = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via']

export function isLocal({ address, headers }: Pick<HttpRequest, 'address' | 'headers'>): boolean {
  return /^(?:::ffff:)?127\.|^::1$/.test(address) && forwardingHeaders.every((name) => headers[name] === undefined)
}
