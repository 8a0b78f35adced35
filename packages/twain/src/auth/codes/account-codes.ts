// Codes that prove who reads the mails of an address: to reset a password, to sign in, and to verify the address.
//
// 1. Nothing tells whether an address has an account: an unknown address gets a code that is never sent. The answer, the work and
//    the limits are the same.
// 2. A code is bound to its purpose, its login and the secret that only the asker has. So nobody can use up the tries of another.
// 3. The link of a mail has a token that needs no secret: whoever reads the mail may use it on any device. They need not be who
//    asked for it, so a password that was set before does not count, unless its owner sends it again.
// 4. The mail goes to the stored address of the account, never to the spelling of the request: another spelling may be another
//    mailbox.

import { timingSafeEqual } from 'node:crypto'
import { ApiError, canonicalLogin, uuidv7 } from '#base'
import type { Verification } from '#model'
import type { Named } from '#model/names'
import type { AccountProof, ChangeProof, CodeProof, LoginChange, SealedMail } from '#plan'
import {
  type CodePurpose,
  type CodeStore,
  type LinkPurpose,
  type MailContents,
  type StoredCode,
  type StoredInvitation,
  wrongCode,
} from '#store'
import type { DerivedKeys } from '../tokens/derived-keys.ts'
import { hashSecret } from '../tokens/hash-secret.ts'
import type { CreateSignedUp, IssuedCode, VerifiedAccount } from '../tokens.ts'
import { type CodeRequest, readCodeRequest, type VerificationInput } from './code-input.ts'
import { canonicalCode, makeCode } from './code-text.ts'
import { boundText, issueCode, makeSecret } from './new-code.ts'

const changeLifetimeMs = 24 * 3_600_000
const undoMs = 7 * 24 * 3_600_000
const maxTries = 5

interface AccountCodesOptions {
  /** The login field of the account. */
  login: Named
  verification: Verification
  store: CodeStore
  keys: DerivedKeys
  /** Writes the account whose address is proven, in one transaction with the proof, and returns its `_verifiedAt`. Rejects with
   *  NOT_FOUND if there is none. */
  prove: ProveAccount
  /** Whether mails leave the service. */
  sendsMail: boolean
  /** Null: an account is there before its address is proven. */
  signUps: PendingSignUps | null
  /** Null: nothing creates the accounts of those who are invited. */
  invitations: PendingInvitations | null
  clock: () => number
}

/** The sign-ups that wait for the proof of their address (`sign-up/sign-ups.ts`). */
interface PendingSignUps {
  sendAgain(address: string, secret: string): Promise<IssuedCode | null>
  finish(code: string, create?: CreateSignedUp, password?: { hash: string | null }): Promise<VerifiedAccount>
}

/** The invitations that wait (`invitations/invitations.ts`). */
interface PendingInvitations {
  accept(invitation: StoredInvitation, password: string): Promise<void>
}

export type ProveAccount = (account: string, proof: AccountProof) => Promise<string>

/** What a client sends to use a code. */
export interface TriedCode {
  /** Canonical. */
  login: string
  code: string
  secret: string
}

export class AccountCodes {
  readonly #options: AccountCodesOptions

  constructor(options: AccountCodesOptions) {
    this.#options = options
  }

  /** Throws an ApiError with all problems of the input of `create`. */
  read(input: Record<string, unknown>): CodeRequest {
    return readCodeRequest(input, this.#options.login, this.#options.verification)
  }

  /** Rejects with TOO_MANY_REQUESTS if the address got too many codes, whether or not it has an account. */
  async create(input: Record<string, unknown>): Promise<IssuedCode> {
    const { purpose, address, secret } = this.read(input)
    const { store, keys, sendsMail, signUps, clock } = this.#options
    if (!sendsMail) throw noMail()
    const again = secret === null ? null : await signUps?.sendAgain(address, secret)
    if (again) return again
    const account = await store.accountWith(address)
    const mail = { kind: purpose, to: account && { account: account.account, address: account.address } }
    return issueCode({ purpose, login: canonicalLogin(address), account, mail }, { store, keys, clock })
  }

  /** Counts a try, and returns the code if it is right. It is not used yet. */
  async check(tried: TriedCode, purpose: CodePurpose): Promise<{ id: string; account: string }> {
    const { id, account } = await this.#try(tried, purpose)
    if (account === null) throw wrongCode()
    return { id, account }
  }

  async #try({ login, code, secret }: TriedCode, purpose: CodePurpose): Promise<StoredCode> {
    const { store, keys, clock } = this.#options
    const stored = await store.try(hashSecret(secret), purpose, login, maxTries, clock())
    if (stored === null) throw wrongCode()
    const hmac = await keys.hmacBy(stored.key, boundText(purpose, login, secret, canonicalCode(code)))
    if (hmac === null || !isSame(hmac, stored.hmac)) throw wrongCode()
    return stored
  }

  /** Rejects if the code was used or has expired meanwhile. */
  async use(account: string, proof: CodeProof | ChangeProof): Promise<string> {
    try {
      return await this.#options.prove(account, proof)
    } catch (error) {
      throw error instanceof ApiError && error.code === 'NOT_FOUND' ? wrongCode() : error
    }
  }

  /** Proves the address by the code of a mail. `viewer` is the account of whoever sends it; null: they have none. Without a secret
   *  the code is one for a change of the viewer's own login. `create` creates the account of a sign-up. */
  async verify(
    { login, code, secret }: VerificationInput,
    viewer: string | null,
    create?: CreateSignedUp,
  ): Promise<VerifiedAccount> {
    if (secret === null) return this.#verifyChange(viewer, login, code)
    const { id, account } = await this.#try({ login, code, secret }, 'VERIFY')
    if (account === null) return this.#signedUp(id, create)
    return this.#verify(id, account, null, viewer === account)
  }

  #signedUp(code: string, create?: CreateSignedUp, password?: { hash: string | null }): Promise<VerifiedAccount> {
    const { signUps } = this.#options
    if (signUps === null) throw wrongCode()
    return signUps.finish(code, create, password)
  }

  /** Once the writer has committed a change: its mails leave now. */
  sendMails(): void {
    this.#options.store.mailsEnqueued()
  }

  /** Prepares a change of a login: its code, its links and its mails. The writer knows the addresses. */
  async prepareChange(): Promise<LoginChange> {
    const { keys, clock } = this.#options
    const now = clock()
    const id = uuidv7(now)
    const [code, link, undo] = [makeCode(), makeSecret(), makeSecret()]
    const mail = async (kind: 'CHANGE' | 'UNDO', typed: string, token: string): Promise<SealedMail> => {
      const contents: MailContents = { kind, to: { change: id }, code: typed, link: token }
      return { id: uuidv7(now), body: await keys.seal(JSON.stringify(contents)) }
    }
    return {
      id,
      ...(await keys.hmac(changeText(id, code))),
      link: hashSecret(link),
      undo: hashSecret(undo),
      mails: { proof: await mail('CHANGE', code, link), notice: await mail('UNDO', '', undo) },
      created: now,
      expires: now + changeLifetimeMs,
      undoableUntil: now + undoMs,
    }
  }

  async #verifyChange(viewer: string | null, login: string, code: string): Promise<VerifiedAccount> {
    const { store, keys, clock } = this.#options
    const found = viewer === null ? null : await store.tryChange(viewer, login, maxTries, clock())
    const hmac = found && (await keys.hmacBy(found.key, changeText(found.id, canonicalCode(code))))
    if (found === null || hmac === null || !isSame(hmac, found.hmac)) throw wrongCode()
    const { account, id: change, address } = found
    const proof = { kind: 'change', change, address, password: null, isOwner: true, now: clock() } as const
    return { account, verifiedAt: await this.use(account, proof) }
  }

  /** What the link of a mail is for; null if it can't be used. Looking changes nothing. */
  async linkPurpose(token: string): Promise<LinkPurpose | null> {
    return (await this.#findLink(token))?.purpose ?? null
  }

  /** Uses the link of a mail, and sets a password if there is one. It makes no session: the page is not the application. */
  async useLink(token: string, makeHash: (purpose: LinkPurpose) => Promise<string | null>): Promise<LinkPurpose> {
    const found = await this.#findLink(token)
    if (found === null) throw wrongCode()
    const password = await makeHash(found.purpose)
    if ('change' in found) {
      const { purpose, change } = found
      const [kind, address] =
        purpose === 'UNDO' ? (['undo', change.former] as const) : (['change', change.address] as const)
      const now = this.#options.clock()
      await this.use(change.account, { kind, change: change.id, address, password, isOwner: false, now })
    } else if ('invitation' in found) {
      const { invitations } = this.#options
      if (invitations === null || password === null) throw wrongCode()
      await invitations.accept(found.invitation, password)
    } else {
      const { id, account } = found.code
      if (account === null) await this.#signedUp(id, undefined, { hash: password })
      else await this.#verify(id, account, password, false)
    }
    return found.purpose
  }

  async #verify(code: string, account: string, password: string | null, isOwner: boolean): Promise<VerifiedAccount> {
    const now = this.#options.clock()
    const proof: CodeProof = { kind: 'code', code, use: uuidv7(now), password, session: null, isOwner, now }
    return { account, verifiedAt: await this.use(account, proof) }
  }

  #findLink(token: string) {
    return this.#options.store.findLink(hashSecret(token), this.#options.clock())
  }
}

/** A change has one address, so that its id binds the code to it. */
function changeText(change: string, code: string): string {
  return ['CHANGE', change, code].join('\0')
}

function isSame(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))
}

function noMail(): ApiError {
  return new ApiError('UNAVAILABLE', 'This service sends no mails.', {
    hint: 'Its operator can set mail.url and mail.from, or mail.send in twain.config.ts.',
  })
}
