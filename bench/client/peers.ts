// Who is compared. Each is loaded in its own process alone.

import type { Peer } from './peer.ts'

export const peers = {
  twain: async (): Promise<() => Peer> => (await import('./twain.ts')).openTwain,
  apollo: async (): Promise<() => Peer> => (await import('./apollo.ts')).openApollo,
  urql: async (): Promise<() => Peer> => (await import('./urql.ts')).openUrql,
}

export type PeerName = keyof typeof peers
