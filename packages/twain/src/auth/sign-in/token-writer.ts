// Sign-out: ends a session for the engine. The type `Token` has no other write.

import type { SystemWriter } from '#engine'
import { type CredentialStore, requireVersion } from '#store'

export function tokenWriter(credentials: CredentialStore, clock: () => number): SystemWriter {
  return async ({ id, precondition, idempotencyKey: key }) => {
    const now = clock()
    const found = await credentials.findToken(id)
    const standing = found !== null && !found.ended && found.expires > now ? found : null
    if (precondition !== null) requireVersion('Token', standing && { version: standing.generation }, precondition)
    if (standing === null) return null
    const under = key === null ? null : { key, answer: { id } }
    return (await credentials.revokeToken(id, now, under)) ? { id, row: null } : null
  }
}
