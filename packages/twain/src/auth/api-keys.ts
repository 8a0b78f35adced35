// API keys for machines: `twk_…`, random, with roles and no account. Only their hashes are kept; they are random enough
// that a plain SHA-256 can't be turned back.

import { createHash, randomBytes } from 'node:crypto'
import { uuidv7 } from '#base'
import type { ApiKey, MachineCredentialStore } from '#store'

const mark = 'twk_'

export interface NewKey extends ApiKey {
  /** Shown once, and kept nowhere. */
  key: string
}

export async function makeKey(
  credentials: MachineCredentialStore,
  { name, roles }: Pick<ApiKey, 'name' | 'roles'>,
  now: number,
): Promise<NewKey> {
  const key = mark + randomBytes(32).toString('base64url')
  const made = { id: uuidv7(now), name, roles, created: now }
  await credentials.createKey(made, hashKey(key))
  return { ...made, key }
}

export function isKey(text: string): boolean {
  return text.startsWith(mark)
}

export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('base64url')
}
