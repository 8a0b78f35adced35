// Removes a way to sign in for the engine. The type `Identity` has no other write of its row: `POST /identities` attaches one.

import { ApiError } from '#base'
import type { SystemWriter } from '#engine'
import { type CredentialStore, requireVersion } from '#store'

export function identityWriter({ identities }: Pick<CredentialStore, 'identities'>): SystemWriter {
  return async ({ id, precondition, idempotencyKey: key }) => {
    const account = await identities.ownerOf(id)
    if (precondition !== null) requireVersion('Identity', account === null ? null : { version: 1 }, precondition)
    if (account === null) return null
    const under = key === null ? null : { key, answer: { id } }
    if (await identities.remove(id, account, under)) return { id, row: null }
    if ((await identities.ownerOf(id)) === null) return null
    throw lastWayIn()
  }
}

function lastWayIn(): ApiError {
  return new ApiError('CONFLICT', 'This is the only way to sign in to the account.', {
    hint: 'Set a password, or link another identity: POST /identities (createIdentity). Then remove this one.',
  })
}
