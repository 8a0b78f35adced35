// The store of codes: what proves that somebody reads the mails of an address, and the outbox of these mails.
//
// 1. An address without an account gets a code, too, which nobody can use. So both kinds of addresses cause the same work and have
//    the same limits.
// 2. The limits of an address hold over all nodes: whoever asks locks the row of its login.
// 3. A mail is enqueued in the transaction that creates its code. Its body is deleted when it is sent, and at the latest when the
//    code ends.
// 4. The use of a code and what it does are one transaction: a write of the row of its account (`store/write/rows/accounts/proofs.ts`).
//
// Times are milliseconds since 1970.

import { ApiError } from '#base'

export type CodePurpose = 'RESET' | 'SIGN_IN' | 'VERIFY'

export interface NewCode {
  /** The hash of its secret. */
  id: string
  purpose: CodePurpose
  /** Canonical. */
  login: string
  /** Null: no account has the address. */
  account: AddressedAccount | null
  /** The key of the HMAC. */
  key: string
  hmac: string
  /** The hash of the token of its link; null: it has none. */
  link: string | null
  created: number
  expires: number
}

/** An account, and its login as written. */
export interface AddressedAccount {
  account: string
  address: string
}

/** What the link of a mail is for. `SIGN_UP`: to prove the address of an account that is not there yet. */
export type LinkPurpose = CodePurpose | 'CHANGE' | 'UNDO' | 'SIGN_UP' | 'INVITATION'

/** What a mail is about. `SIGN_UP_TAKEN`: somebody wanted to sign up with the address of an account; `INVITATION_TAKEN`: somebody
 *  has invited it. */
export type MailPurpose = LinkPurpose | 'SIGN_UP_TAKEN' | 'INVITATION_TAKEN'

/** What a mail says. The worker that sends it makes the text. */
export interface MailContents {
  kind: MailPurpose
  /** Null: the address has no account, and nothing is sent. The id of a change of a login stands for the address that it names:
   *  `CHANGE` goes to the new one, `UNDO` to the former one. The address of a sign-up has no account yet. */
  to: AddressedAccount | { account: null; address: string } | { change: string } | null
  /** Empty: it has none. */
  code: string
  /** The token of the link; null: it has none. */
  link: string | null
}

export interface NewMail {
  id: string
  /** Encrypted. */
  body: string
}

export interface CodeLimits {
  /** Codes of a login that can be used at the same time. */
  open: number
  hourly: number
}

/** What a try of a code needs to know of it. */
export type StoredCode = Pick<NewCode, 'id' | 'purpose' | 'key' | 'hmac' | 'login'> & { account: string | null }

/** A change of a login that can be proven or undone. */
export interface StoredChange {
  id: string
  account: string
  /** The new and the former login, as written. */
  address: string
  former: string
  key: string
  hmac: string
}

/** A sign-up that waits for the proof of its address. */
export interface NewSignUp {
  /** The account that has the login already; null: it is free. */
  account: string | null
  /** Encrypted. */
  body: string
  expires: number
}

/** Who has invited somebody: see `WebhookOwner`. */
export interface InvitationOwner {
  account: string | null
  roles: readonly string[]
  key: string | null
  /** An operator by `twain invite`: no rules apply. */
  isSystem?: true
}

export interface NewInvitation {
  id: string
  /** The hash of the token of its link. */
  link: string
  /** Canonical. */
  login: string
  /** As written; of an account, its stored login, which its maker may not know. */
  address: string
  /** As its maker wrote it. */
  shown: string
  /** The account that has the login; null: there is none yet. */
  account: string | null
  /** Whether it can be accepted: the account has no password. */
  isOpen: boolean
  /** Encrypted. */
  body: string
  owner: InvitationOwner
  created: number
  expires: number
}

/** What the acceptance of an invitation needs to know of it. */
export type StoredInvitation = Pick<NewInvitation, 'id' | 'address' | 'account' | 'body' | 'owner'>

/** What its maker sees of an invitation. */
export type ListedInvitation = Pick<NewInvitation, 'id' | 'shown' | 'created' | 'expires'>

/** What another mail of an invitation needs to know of it. `address` is that of the maker, too. */
export type WaitingInvitation = Pick<NewInvitation, 'id' | 'link' | 'address' | 'shown' | 'created'>

/** An invitation with another link. */
export interface RenewedInvitation extends Pick<NewInvitation, 'id' | 'link' | 'address' | 'account' | 'isOpen'> {
  formerLink: string
  /** The id of the entry that counts the mail, and has the former link. */
  entry: string
  now: number
  expires: number
}

export interface InvitationLimits {
  /** For each address. */
  hourlyOfLogin: number
  /** For each account that invites. */
  hourlyOfMaker: number
}

/** Who has a login: an account, or one that may take it back. */
export interface LoginHolder {
  account: string
  /** As written; null: the account is being deleted, and gets no mails. */
  address: string | null
  hasPassword: boolean
}

/** What the token of a link leads to. */
export type StoredLink =
  | { purpose: CodePurpose | 'SIGN_UP'; code: StoredCode }
  | { purpose: 'CHANGE' | 'UNDO'; change: StoredChange }
  | { purpose: 'INVITATION'; invitation: StoredInvitation }

export interface CodeStore {
  /** The account whose login is this address. Look-alikes are one login, but not one mailbox: only the case of ASCII letters may
   *  differ. */
  accountWith(address: string): Promise<AddressedAccount | null>
  /** A write of an account has put mails into the queue: the worker looks now. */
  mailsEnqueued(): void
  /** Who has the login or one that looks like it; null: it is free. */
  holderOf(address: string, now: number): Promise<LoginHolder | null>
  /** Null if the code was created and its mail enqueued; else the time at which the login may get another code. With `signUp`, the
   *  code is one for it: a new sign-up, or that of an earlier code, which can't be used any more. */
  create(
    code: NewCode,
    mail: NewMail,
    limits: CodeLimits,
    signUp?: NewSignUp | { earlierCode: string } | null,
  ): Promise<number | null>
  /** The sign-up of this code, if it still waits; its newest code only. */
  signUp(code: string, now: number): Promise<NewSignUp | null>
  /** False: there were too many. Null as `mail`: none is sent. */
  invite(invitation: NewInvitation, mail: NewMail | null, limits: InvitationLimits): Promise<boolean>
  /** Those that can still be accepted, the newest first: all, or those of one maker. */
  invitations(maker: string | null, now: number): Promise<ListedInvitation[]>
  /** One that can still be accepted. Null: there is none, or another maker has it. Null as `maker`: anybody's. */
  waitingInvitation(id: string, maker: string | null, now: number): Promise<WaitingInvitation | null>
  /** Mails it with another link; the former link ends. False: there were too many, or it has another link meanwhile. */
  reinvite(invitation: RenewedInvitation, mail: NewMail, limits: InvitationLimits): Promise<boolean>
  /** False: there is none that can be accepted, or another maker has it. Null as `maker`: anybody's. */
  withdraw(id: string, maker: string | null, now: number): Promise<boolean>
  /** Counts a try. Null: no code with this id may be tried for this purpose and login. */
  try(id: string, purpose: CodePurpose, login: string, maxTries: number, now: number): Promise<StoredCode | null>
  /** What the link leads to, if it can be used. It counts no try. */
  findLink(link: string, now: number): Promise<StoredLink | null>
  /** Counts a try of the change of the account to this login, which waits for its proof. */
  tryChange(account: string, login: string, maxTries: number, now: number): Promise<StoredChange | null>
  /** A change that has not ended. */
  change(id: string): Promise<StoredChange | null>
  /** The encrypted body; null if the mail was sent, or its code has ended. */
  mail(id: string, now: number): Promise<string | null>
  deleteMail(id: string): Promise<void>
  /** Deletes what has ended and no longer counts for a limit. */
  prune(): Promise<void>
}

/** One message for every defect of a code, so that an attacker learns nothing from it. */
export function wrongCode(): ApiError {
  return new ApiError('UNAUTHENTICATED', 'The code is wrong, was used, or has expired.', {
    hint: 'A code has five tries and ten minutes. POST /codes (createCode) sends another one; its answer has the secret that belongs to it.',
    headers: { 'www-authenticate': 'Bearer' },
  })
}
