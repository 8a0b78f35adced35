// What a mail is, before and after its text is made.

/** What `mails` of twain.config.ts returns. */
export interface MailText {
  subject: string
  text: string
  html?: string | undefined
}

/** What `mail.send` of twain.config.ts gets. */
export interface MailMessage extends MailText {
  /** The setting `mail.from`. */
  from: string | null
  /** One address. */
  to: string
}

/** What the text of a mail is made of. */
export interface MailValues<Account = Readonly<Record<string, unknown>>> {
  /** Eight characters; it is valid for ten minutes. */
  code: string
  /** A page of the server that does the same as the code; null: there is none. */
  url: string | null
  /** The row of the account; null in mails of `signUp` and `invite`, which go to an address without one. */
  account: Account
  /** The name of the service. */
  service: string
}

/** The kinds of mails, by their names in `mails` of twain.config.ts. */
export type MailKind = AccountMailKind | 'signUp' | 'invite'

/** Of mails to the address of an account. */
export type AccountMailKind =
  | 'reset'
  | 'signIn'
  | 'verify'
  | 'changeLogin'
  | 'loginChanged'
  | 'signUpTaken'
  | 'inviteTaken'

export type MailTexts = {
  readonly [Kind in MailKind]: (
    values: MailValues<Kind extends AccountMailKind ? Readonly<Record<string, unknown>> : null>,
  ) => MailText | Promise<MailText>
}

/** Rejects if the mail was not sent. */
export type SendMail = (message: MailMessage) => Promise<void>

/** Whether the text is one address, and not a list of them. */
export function isOneAddress(text: string): boolean {
  return /^[^\s@,;:<>()"[\]]+@[^\s@,;:<>()"]+$/.test(text)
}
