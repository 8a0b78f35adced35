// Invitations: who may create an account invites its owner, who sets the password (docs/internals/decisions/0085-invitations.md).
//
// 1. The row is judged twice: with the rights of the maker now, and with those that the maker has when it is accepted.
// 2. Only the mail has the link, so that whoever accepts reads the mails of the address. An operator sees it, too.
// 3. Nothing tells the maker whether the address has an account: they see it as they wrote it, never as the account has it. If it has
//    one with a password, its owner gets a mail and nobody can use the invitation. One without a password, such as an imported one, gets
//    its password, and nothing else of the input.
// 4. An invitation is used up in the transaction that creates the account.

import { ApiError, canonicalLogin, isOneAddress, neverWhileActing, uuidv7, validationError } from '#base'
import { isOperator, isSystem, type RequestCaller, system, type Viewer } from '#base/http'
import type { Resource } from '#model'
import type { Named } from '#model/names'
import type { BoundPlan, SignUp, WritePlan } from '#plan'
import { isGuest } from '#plan'
import {
  type CodeStore,
  type ListedInvitation,
  type LoginHolder,
  type MailContents,
  type StoredInvitation,
  wrongCode,
} from '#store'
import { signInFirst } from '../auth-errors.ts'
import type { ProveAccount } from '../codes/account-codes.ts'
import { makeSecret } from '../codes/new-code.ts'
import { nameIn } from '../sign-in/sign-in-input.ts'
import type { RehearseSignUp } from '../sign-up/sign-ups.ts'
import type { DerivedKeys } from '../tokens/derived-keys.ts'
import { hashSecret } from '../tokens/hash-secret.ts'
import { type Invitation, type InvitationService, unknownInvitation } from '../tokens.ts'
import type { OwnerViewers } from '../viewers.ts'

const lifetimeMs = 7 * 24 * 3_600_000
/** How often another mail is tried while others send the same invitation. */
const maxTries = 3
const limits = { hourlyOfLogin: 10, hourlyOfMaker: 100 }

/** Creates the account of an invitation with the rights of the viewer, and returns its id. */
type CreateInvited = (input: Record<string, unknown>, signUp: SignUp, viewer: Viewer) => Promise<string>

export interface InvitationsOptions {
  account: { resource: Resource; login: Named }
  store: CodeStore
  keys: DerivedKeys
  owners: OwnerViewers
  rehearse: RehearseSignUp
  createInvited: CreateInvited
  prove: ProveAccount
  sendsMail: boolean
  clock: () => number
}

interface KeptRow {
  input: Record<string, unknown>
}

export class Invitations implements InvitationService {
  readonly #options: InvitationsOptions

  constructor(options: InvitationsOptions) {
    this.#options = options
  }

  /** Throws if the viewer may invite nobody. */
  admit(viewer: Viewer): void {
    if (!viewer.authenticated) throw signInFirst()
    if (viewer.acting !== undefined) throw neverWhileActing('invite anybody')
    const { name } = this.#options.account.resource
    if (isSystem(viewer) || !isGuest(this.#options.account.resource, viewer)) return
    throw new ApiError('FORBIDDEN', `You may not invite a ${name}.`, {
      hint: `Only viewers who may create a ${name} by a rule that is not for anybody can invite.`,
    })
  }

  /** `boundPlan` creates the account from the input, without a password. Only an operator learns the token of the link; null: nobody
   *  can use it. */
  async create(
    boundPlan: BoundPlan<WritePlan>,
    input: Record<string, unknown>,
    viewer: Viewer,
    caller?: RequestCaller,
  ): Promise<{ invitation: Invitation; token: string | null }> {
    const { account, store, rehearse, sendsMail, clock } = this.#options
    this.admit(viewer)
    if (!sendsMail && !isSystem(viewer)) throw noMail()
    await rehearse(boundPlan, viewer, caller)
    const address = String(input[nameIn(input, account.login)!])
    if (!isOneAddress(address)) {
      const message = 'must be an address: the invitation is mailed to it.'
      throw validationError([{ path: account.login.name, code: 'PATTERN', message }])
    }
    const now = clock()
    return this.#save({ address, input, holder: await store.holderOf(address, now), viewer, now })
  }

  async inviteOwner(address: string): Promise<string | null> {
    const { account, store, clock } = this.#options
    const now = clock()
    const holder = await store.holderOf(address, now)
    if (holder === null || !isOpenFor(holder)) return null
    const input = { [account.login.name]: address }
    return (await this.#save({ address, input, holder, viewer: system, now })).token
  }

  async #save({ address, input, holder, viewer, now }: NewInvitation): ReturnType<InvitationService['create']> {
    const { store, keys, owners, sendsMail } = this.#options
    const isOpen = holder === null || isOpenFor(holder)
    const token = makeSecret()
    const kept: KeptRow = { input }
    const made = {
      id: uuidv7(now),
      link: hashSecret(token),
      login: canonicalLogin(address),
      address: holder?.address ?? address,
      shown: address,
      account: holder?.account ?? null,
      isOpen,
      body: await keys.seal(JSON.stringify(kept), 'sign-up'),
      owner: { ...(await owners.ownerOf(viewer)), ...(isSystem(viewer) && { isSystem: true as const }) },
      created: now,
      expires: now + lifetimeMs,
    }
    const body = await keys.seal(JSON.stringify(mailFor(address, holder, isOpen, token)))
    const isSaved = await store.invite(made, sendsMail ? { id: uuidv7(now), body } : null, limits)
    if (!isSaved) throw tooMany()
    return { invitation: this.#show(made), token: isOpen && isSystem(viewer) ? token : null }
  }

  /** Those that wait, the newest first: of the viewer; for the role admin, of everybody. */
  async list(viewer: Viewer): Promise<Invitation[]> {
    const { store, clock } = this.#options
    return (await store.invitations(makerOf(viewer), clock())).map((one) => this.#show(one))
  }

  /** The row stays as it is: the rights of its maker decide when it is accepted (1). */
  async resend(id: string, viewer: Viewer): Promise<Invitation> {
    const { store, keys, sendsMail, clock } = this.#options
    this.admit(viewer)
    if (!sendsMail) throw noMail()
    for (let tries = 1; ; tries++) {
      const now = clock()
      const waiting = await store.waitingInvitation(id, makerOf(viewer), now)
      if (waiting === null) throw unknownInvitation(id)
      const { link: formerLink, address, shown, created } = waiting
      const holder = await store.holderOf(address, now)
      const isOpen = holder === null || isOpenFor(holder)
      const token = makeSecret()
      const renewed = {
        ...{ id, entry: uuidv7(now), formerLink, link: hashSecret(token), isOpen, now, expires: now + lifetimeMs },
        ...{ address: holder?.address ?? address, account: holder?.account ?? null },
      }
      const body = await keys.seal(JSON.stringify(mailFor(address, holder, isOpen, token)))
      if (await store.reinvite(renewed, { id: uuidv7(now), body }, limits))
        return this.#show({ id, shown, created, expires: renewed.expires })
      // Either there were too many, or somebody else has sent it meanwhile.
      const after = await store.waitingInvitation(id, null, now)
      if (after?.link === formerLink || tries === maxTries) throw tooMany()
    }
  }

  /** False: there is none, or it is that of somebody else. */
  delete(id: string, viewer: Viewer): Promise<boolean> {
    const { store, clock } = this.#options
    return store.withdraw(id, makerOf(viewer), clock())
  }

  /** Creates the account, or sets the password of one that has none. Rejects with UNAUTHENTICATED if nobody can accept it any more. */
  async accept({ id, address, account, body, owner }: StoredInvitation, password: string): Promise<void> {
    const { keys, owners, createInvited, prove, clock } = this.#options
    const now = clock()
    try {
      if (account !== null) {
        await prove(account, { kind: 'invitation', invitation: id, address, password, isOwner: false, now })
        return
      }
      const text = await keys.open(body, 'sign-up')
      const maker = owner.isSystem === true ? system : await owners.currentViewer(owner)
      if (text === null || maker === null) throw wrongCode()
      const { input } = JSON.parse(text) as KeptRow
      await createInvited(input, { by: { kind: 'invitation', id }, address, password, now }, maker)
    } catch (error) {
      // The maker may not create this row any more, or somebody has taken a value of it.
      if (error instanceof ApiError && error.status < 500) throw wrongCode()
      throw error
    }
  }

  #show({ id, shown, created, expires }: ListedInvitation): Invitation {
    const { login } = this.#options.account
    const [createdAt, expiresAt] = [new Date(created).toISOString(), new Date(expires).toISOString()]
    return { id, [login.name]: shown, createdAt, expiresAt }
  }
}

interface NewInvitation {
  address: string
  input: Record<string, unknown>
  /** Null: nobody has the address as the login. */
  holder: LoginHolder | null
  viewer: Viewer
  now: number
}

/** Whether an invitation may set the password of the account. */
function isOpenFor(holder: LoginHolder): boolean {
  return !holder.hasPassword && holder.address !== null
}

/** Null: the viewer sees the invitations of everybody. */
function makerOf(viewer: Viewer): string | null {
  if (!viewer.authenticated) throw signInFirst()
  if (viewer.acting !== undefined) throw neverWhileActing('use invitations')
  const isAdmin = isSystem(viewer) || isOperator(viewer) || viewer.roles.includes('admin')
  return isAdmin ? null : (viewer.account ?? '')
}

function mailFor(address: string, holder: LoginHolder | null, isOpen: boolean, token: string): MailContents {
  const account = holder?.account ?? null
  const stored = holder === null ? address : holder.address
  const to = stored === null ? null : { account, address: stored }
  return isOpen
    ? { kind: 'INVITATION', to: to as MailContents['to'], code: '', link: token }
    : { kind: 'INVITATION_TAKEN', to: to as MailContents['to'], code: '', link: null }
}

function noMail(): ApiError {
  return new ApiError('UNAVAILABLE', 'This service sends no mails.', {
    hint: 'Its operator can set mail.url and mail.from, or invite with twain invite, which prints the link.',
  })
}

function tooMany(): ApiError {
  return new ApiError('TOO_MANY_REQUESTS', 'Too many invitations.', {
    hint: `An address gets ${limits.hourlyOfLogin} an hour, and an account makes ${limits.hourlyOfMaker}.`,
    headers: { 'retry-after': '3600' },
  })
}
