// Whether a request comes from this machine itself, and not through a proxy that runs on it and says so.

import type { HttpRequest } from '#base'

const passedOn = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via']

export function isLocal({ address, headers }: Pick<HttpRequest, 'address' | 'headers'>): boolean {
  return /^(?:::ffff:)?127\.|^::1$/.test(address) && passedOn.every((name) => headers[name] === undefined)
}
