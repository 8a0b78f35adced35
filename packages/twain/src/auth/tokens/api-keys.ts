// API keys for machines: `twk_…`, random, with roles and no account. The store has only their SHA-256 hashes, which is safe
// because the keys are random.

import { ApiError, uuidv7 } from '#base'
import { randomBytes } from '#base/time'
import type { SystemWrite, SystemWriter, SystemWritten } from '#engine'
import { type ApiKey, type MachineCredentialStore, requireVersion } from '#store'
import { hashSecret } from './hash-secret.ts'

const keyPrefix = 'twk_'

/** Of those that the APIs create: the server reads all keys where it looks for one by its id. */
const maxKeys = 1000

export interface NewKey extends ApiKey {
  /** Shown once; the store has only its hash. */
  key: string
}

export async function makeKey(
  credentials: MachineCredentialStore,
  settings: KeySettings,
  now: number,
): Promise<NewKey> {
  const made = newKey(settings, now)
  await credentials.createKey(made, hashSecret(made.key))
  return made
}

type KeySettings = Pick<ApiKey, 'name' | 'roles'>

function newKey({ name, roles }: KeySettings, now: number): NewKey {
  return { id: uuidv7(now), name, roles, created: now, key: keyPrefix + randomBytes(32).toString('base64url') }
}

/** Creates and ends keys for the engine: the type `ApiKey` has no other write. */
export function keyWriter(credentials: MachineCredentialStore, clock: () => number): SystemWriter {
  return (write) => (write.action === 'create' ? create(write) : end(write))

  /** The idempotency record has the id only: a replay shows no key. */
  async function create({ set, idempotencyKey: key, readBack }: SystemWrite): Promise<SystemWritten> {
    const settings = readSettings(set)
    if ((await credentials.keys()).length >= maxKeys) throw tooMany()
    const now = clock()
    const made = newKey(settings, now)
    const { id } = made
    const under = key === null ? null : { key, answer: { id } }
    const created = await credentials.createKey(made, hashSecret(made.key), { under, readBack: readBack(id) })
    if (created === null) throw new ApiError('CONFLICT', 'Another request with this idempotency key is running.')
    return { id, shownOnce: { key: made.key }, isUnrecorded: true, ...created }
  }

  async function end({ id, precondition, idempotencyKey: key }: SystemWrite): Promise<SystemWritten | null> {
    const found = (await credentials.keys()).find((one) => one.id === id) ?? null
    if (precondition !== null) requireVersion('ApiKey', found && { version: 1 }, precondition)
    const now = clock()
    const under = key === null ? null : { key, answer: { id } }
    return (await credentials.revokeKey(id, now, under)) ? { id, row: null } : null
  }
}

function readSettings({ name = null, roles }: SystemWrite['set']): KeySettings {
  return { name: name as string | null, roles: [...new Set(roles as string[])] }
}

function tooMany(): ApiError {
  return new ApiError('CONFLICT', `There are ${maxKeys} API keys already.`, {
    hint: 'Delete those that nobody uses: GET /api-keys?sort=lastUsedAt.',
  })
}

export function isKey(text: string): boolean {
  return text.startsWith(keyPrefix)
}
