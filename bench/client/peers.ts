// The compared clients. Each is loaded only in its own process.

import type { Peer } from './peer.ts'

export const peers = {
  twain: async (): Promise<() => Peer> => (await import('./twain.ts')).openTwain,
  apollo: async (): Promise<() => Peer> => (await import('./apollo.ts')).openApollo,
  urql: async (): Promise<() => Peer> => (await import('./urql.ts')).openUrql,
}

export type PeerName = keyof typeof peers
