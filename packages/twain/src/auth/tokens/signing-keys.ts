// The keys that sign tokens. The newest key signs; all stored keys verify; `kid` names the key of a token. They come from the
// setting `auth.secret`, or Twain generates one and stores it with the data. `twain token --rotate` can add one while the
// server runs, so the keys are read again after a second.

import { createHash, createSecretKey, type KeyObject } from 'node:crypto'
import { uuidv7 } from '#base'
import { randomBytes } from '#base/time'
import type { MachineCredentialStore, Secret } from '#store'
import { idleMs, type SessionSettings } from '../sessions/session-times.ts'
import { type AuthSettings, secretsOf } from '../settings.ts'

interface SigningKey {
  kid: string
  key: KeyObject
}

export interface KeySet {
  newest: SigningKey
  byKid: ReadonlyMap<string, KeyObject>
  /** The `aud` claim: this database, and no other service with the same secret. */
  audience: string
}

const audienceName = 'audience'
const signingPrefix = 'signing:'
const cacheMs = 1000

export class SigningKeys {
  readonly #credentials: MachineCredentialStore
  readonly #settings: Pick<AuthSettings, 'secret'> & SessionSettings
  readonly #clock: () => number
  #cached: { set: KeySet; until: number } | null = null

  constructor(
    credentials: MachineCredentialStore,
    settings: Pick<AuthSettings, 'secret'> & SessionSettings,
    clock: () => number,
  ) {
    this.#credentials = credentials
    this.#settings = settings
    this.#clock = clock
  }

  async current(): Promise<KeySet> {
    const now = this.#clock()
    if (this.#cached !== null && now < this.#cached.until) return this.#cached.set
    const set = this.#read(await this.#storedSecrets(now), now)
    this.#cached = { set, until: now + cacheMs }
    return set
  }

  /** Adds a new signing key. Older keys verify until their tokens have expired; with `forget` they are deleted at once. */
  async rotate(forget: boolean): Promise<void> {
    const now = this.#clock()
    const previous = (await this.#storedSecrets(now)).filter(isSigningSecret)
    // Keys are ordered by their times, which must differ.
    await this.#credentials.saveSecret(newSecret(Math.max(now, (previous[0]?.created ?? 0) + 1)))
    const obsolete = forget ? previous : previous.filter((_, index) => !this.#isStillUsed(previous, index, now))
    if (obsolete.length > 0) await this.#credentials.deleteSecrets(obsolete.map(({ name }) => name))
    this.#cached = null
  }

  /** The stored secrets, newest first. Creates missing ones; if two nodes create one at once, both nodes use both. */
  async #storedSecrets(now: number): Promise<Secret[]> {
    const stored = await this.#credentials.secrets()
    const missing: Secret[] = []
    if (!stored.some(({ name }) => name === audienceName)) {
      missing.push({ name: audienceName, value: uuidv7(now), created: now })
    }
    if (this.#settings.secret === null && !stored.some(isSigningSecret)) missing.push(newSecret(now))
    if (missing.length === 0) return stored
    for (const secret of missing) await this.#credentials.saveSecret(secret)
    return this.#credentials.secrets()
  }

  #read(stored: readonly Secret[], now: number): KeySet {
    const { secret } = this.#settings
    const signing = stored.filter(isSigningSecret)
    const values =
      secret === null
        ? signing.filter((_, index) => this.#isStillUsed(signing, index, now)).map(({ value }) => value)
        : secretsOf(secret)
    const keys = values.map(toKey)
    return {
      newest: keys[0]!,
      byKid: new Map(keys.map(({ kid, key }) => [kid, key])),
      audience: stored.find(({ name }) => name === audienceName)!.value,
    }
  }

  /** A key signs until the next one is created; its last token expires when its session has not been used for long. */
  #isStillUsed(signing: readonly Secret[], index: number, now: number): boolean {
    const next = signing[index - 1]
    return next === undefined || next.created + idleMs(this.#settings) > now
  }
}

function isSigningSecret({ name }: Secret): boolean {
  return name.startsWith(signingPrefix)
}

function newSecret(created: number): Secret {
  const value = randomBytes(32).toString('base64url')
  return { name: signingPrefix + toKey(value).kid, value, created }
}

function toKey(secret: string): SigningKey {
  // A hash gives every secret the key length of HS256.
  const bytes = createHash('sha256').update(`twain signing ${secret}`).digest()
  const kid = createHash('sha256').update(bytes).digest('base64url').slice(0, 12)
  return { kid, key: createSecretKey(bytes) }
}
