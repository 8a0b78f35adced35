// The client that limits count: the account, the token or key, or the network of an anonymous viewer.

import { networkOf } from './network-of.ts'
import type { Viewer } from './viewer.ts'

export function clientKey(
  { account, token, acting }: Pick<Viewer, 'account' | 'token' | 'acting'>,
  address: string,
): string {
  return acting?.client ?? account ?? token ?? networkOf(address)
}
