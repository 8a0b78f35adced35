// The types of what an application passes to `createAuth`, and of what it gets back.

/** What `twain types` writes as `AuthAccount`. */
export interface AccountShape {
  /** Where accounts are created: `/users`. */
  path: string
  /** The login field: `email`. */
  login: string
  /** The input of a new account. */
  create: object
}

/** Without generated types: accounts at `/users` that sign in with their `email`. */
export interface AnyAccount {
  path: '/users'
  login: 'email'
  create: Record<string, unknown>
}

export type CodeFor = 'VERIFY' | 'RESET' | 'SIGN_IN'

/** A login and a password, with a `captcha` if the service asks for one, or the code of a mail that `sendCode('SIGN_IN', …)` sent. */
export type SignInInput<Account extends AccountShape> =
  | (Record<Account['login'], string> & { password: string; captcha?: string })
  | { code: string }

/** `VERIFY`: there is no session before `verify` got the code of the mail. */
export type SignUpResult = 'SIGNED_IN' | 'VERIFY'

/** Options that differ from the defaults must be given. */
export type AccountNames<Account extends AccountShape> = (Account['path'] extends '/users'
  ? { accounts?: '/users' }
  : { accounts: Account['path'] }) &
  (Account['login'] extends 'email' ? { login?: 'email' } : { login: Account['login'] })
