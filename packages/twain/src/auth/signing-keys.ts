// What tokens are signed with. The newest key signs, all that are kept count; `kid` says which one a token was signed with.
// They come from the setting `auth.secret`, or are made once and kept with the data, where the command can add one
// (`twain token --rotate`) while the server runs: so what is known here is looked up again after a second.

import { createHash, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { uuidv7 } from '#base'
import type { MachineCredentialStore, Secret } from '#store'
import { type AuthSettings, secretsOf } from './settings.ts'

interface SigningKey {
  kid: string
  key: KeyObject
}

export interface KeySet {
  newest: SigningKey
  byKid: ReadonlyMap<string, KeyObject>
  /** Whom tokens are for: this data, and no other service that has the same secret in its settings. */
  audience: string
}

const audienceName = 'audience'
const prefix = 'signing:'
const fresh = 1000

export class SigningKeys {
  readonly #vault: MachineCredentialStore
  readonly #settings: Pick<AuthSettings, 'secret' | 'refreshTokenSeconds'>
  readonly #clock: () => number
  #known: { set: KeySet; until: number } | null = null

  constructor(
    credentials: MachineCredentialStore,
    settings: Pick<AuthSettings, 'secret' | 'refreshTokenSeconds'>,
    clock: () => number,
  ) {
    this.#vault = credentials
    this.#settings = settings
    this.#clock = clock
  }

  async current(): Promise<KeySet> {
    const now = this.#clock()
    if (this.#known !== null && now < this.#known.until) return this.#known.set
    const set = this.#read(await this.#kept(now), now)
    this.#known = { set, until: now + fresh }
    return set
  }

  /** Another key signs from now on. The former ones count until what they signed has run out; or no more, if `forget`. */
  async rotate(forget: boolean): Promise<void> {
    const now = this.#clock()
    const former = (await this.#kept(now)).filter(isSigning)
    // Their order is that of their times, which must differ.
    await this.#vault.saveSecret(newSecret(Math.max(now, (former[0]?.created ?? 0) + 1)))
    const gone = forget ? former : former.filter((_, index) => !this.#stillCounts(former, index, now))
    if (gone.length > 0) await this.#vault.deleteSecrets(gone.map(({ name }) => name))
    this.#known = null
  }

  /** What is kept, newest first; made when there is none. Of two nodes that make one at once, both then have both. */
  async #kept(now: number): Promise<Secret[]> {
    const kept = await this.#vault.secrets()
    const missing: Secret[] = []
    if (!kept.some(({ name }) => name === audienceName)) {
      missing.push({ name: audienceName, value: uuidv7(now), created: now })
    }
    if (this.#settings.secret === null && !kept.some(isSigning)) missing.push(newSecret(now))
    if (missing.length === 0) return kept
    for (const secret of missing) await this.#vault.saveSecret(secret)
    return this.#vault.secrets()
  }

  #read(kept: readonly Secret[], now: number): KeySet {
    const { secret } = this.#settings
    const signing = kept.filter(isSigning)
    const values =
      secret === null
        ? signing.filter((_, index) => this.#stillCounts(signing, index, now)).map(({ value }) => value)
        : secretsOf(secret)
    const keys = values.map(toKey)
    return {
      newest: keys[0]!,
      byKid: new Map(keys.map(({ kid, key }) => [kid, key])),
      audience: kept.find(({ name }) => name === audienceName)!.value,
    }
  }

  /** A key signs until the next one is made, and nothing that it signed is good for longer than this. */
  #stillCounts(signing: readonly Secret[], index: number, now: number): boolean {
    const next = signing[index - 1]
    return next === undefined || next.created + this.#settings.refreshTokenSeconds * 1000 > now
  }
}

function isSigning({ name }: Secret): boolean {
  return name.startsWith(prefix)
}

function newSecret(created: number): Secret {
  const value = randomBytes(32).toString('base64url')
  return { name: prefix + toKey(value).kid, value, created }
}

function toKey(secret: string): SigningKey {
  // Of a hash, so that a secret that people made up has the length that HS256 wants.
  const bytes = createHash('sha256').update(`twain signing ${secret}`).digest()
  const kid = createHash('sha256').update(bytes).digest('base64url').slice(0, 12)
  return { kid, key: createSecretKey(bytes) }
}
