// The store of codes: what proves that somebody reads the mails of an address, and the outbox of these mails.
//
// 1. An address without an account gets a code, too, which nobody can use. So both kinds of addresses cause the same work and have
//    the same limits.
// 2. The limits of an address hold over all nodes: whoever asks locks the row of its login.
// 3. A mail is enqueued in the transaction that creates its code. Its body is deleted when it is sent, and at the latest when the
//    code ends.
// 4. The use of a code and what it does are one transaction: a write of the row of its account (`store/write/rows/proofs.ts`).
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

/** What the link of a mail is for. */
export type LinkPurpose = CodePurpose | 'CHANGE' | 'UNDO'

/** What a mail says. The worker that sends it makes the text. */
export interface MailContents {
  kind: LinkPurpose
  /** Null: the address has no account, and nothing is sent. The id of a change of a login stands for the address that it names:
   *  `CHANGE` goes to the new one, `UNDO` to the former one. */
  to: AddressedAccount | { change: string } | null
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

/** What the token of a link leads to. */
export type StoredLink =
  | { purpose: CodePurpose; code: StoredCode }
  | { purpose: 'CHANGE' | 'UNDO'; change: StoredChange }

export interface CodeStore {
  /** The account whose login is this address. Look-alikes are one login, but not one mailbox: only the case of ASCII letters may
   *  differ. */
  accountWith(address: string): Promise<AddressedAccount | null>
  /** Null if the code was created and its mail enqueued; else the time at which the login may get another code. */
  create(code: NewCode, mail: NewMail, limits: CodeLimits): Promise<number | null>
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
  prune(now: number): Promise<void>
}

/** One message for every defect of a code, so that an attacker learns nothing from it. */
export function wrongCode(): ApiError {
  return new ApiError('UNAUTHENTICATED', 'The code is wrong, was used, or has expired.', {
    hint: 'A code has five tries and ten minutes. POST /codes (createCode) sends another one; its answer has the secret that belongs to it.',
    headers: { 'www-authenticate': 'Bearer' },
  })
}
