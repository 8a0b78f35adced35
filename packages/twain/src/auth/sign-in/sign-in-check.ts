// What auth asks custom code before it accepts a sign-in.

/** How an account signs in. Renewing a session, API keys, operator tokens and tickets are no sign-ins. */
type SignInMethod = 'password' | 'issuer' | 'code' | 'provider'

/** Rejects to refuse the sign-in of the account with this id; the client gets the error. */
export type SignInCheck = (account: string, method: SignInMethod) => Promise<void>

/** What auth asks custom code before it checks a password, mails a code, or lets somebody sign up. */
interface AttemptDetails {
  kind: 'signIn' | 'mail' | 'signUp'
  /** Canonical. */
  login: string
  address: string
  /** Recent failures of the login from the network, or mails or sign-ups that came from the network. */
  failures: number
  captcha: string | null
}

/** Rejects to refuse the attempt; the client gets the error. */
export type AttemptCheck = (attempt: AttemptDetails) => Promise<void>
