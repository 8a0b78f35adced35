// API keys for machines: `twk_…`, random, with roles and no account. The store has only their SHA-256 hashes, which is safe
// because the keys are random.

import { randomBytes } from 'node:crypto'
import { uuidv7 } from '#base'
import type { SystemWriter } from '#engine'
import { type ApiKey, type MachineCredentialStore, requireVersion } from '#store'
import { hashSecret } from './hash-secret.ts'

const keyPrefix = 'twk_'

export interface NewKey extends ApiKey {
  /** Shown once; the store has only its hash. */
  key: string
}

export async function makeKey(
  credentials: MachineCredentialStore,
  { name, roles }: Pick<ApiKey, 'name' | 'roles'>,
  now: number,
): Promise<NewKey> {
  const key = keyPrefix + randomBytes(32).toString('base64url')
  const apiKey = { id: uuidv7(now), name, roles, created: now }
  await credentials.createKey(apiKey, hashSecret(key))
  return { ...apiKey, key }
}

/** Ends keys for the engine: the type `ApiKey` has no other write. */
export function keyWriter(credentials: MachineCredentialStore, clock: () => number): SystemWriter {
  return async ({ id, precondition, idempotencyKey: key }) => {
    const found = (await credentials.keys()).find((one) => one.id === id) ?? null
    if (precondition !== null) requireVersion('ApiKey', found && { version: 1 }, precondition)
    const now = clock()
    const under = key === null ? null : { key, answer: { id }, now }
    return (await credentials.revokeKey(id, now, under)) ? { id, row: null } : null
  }
}

export function isKey(text: string): boolean {
  return text.startsWith(keyPrefix)
}
