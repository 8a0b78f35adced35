// What auth asks custom code before it accepts a sign-in.

/** How an account signs in. Renewing a session, API keys, operator tokens and tickets are no sign-ins. */
type SignInMethod = 'password' | 'issuer' | 'code' | 'provider'

/** Rejects to refuse the sign-in of the account with this id; the client gets the error. */
export type SignInCheck = (account: string, method: SignInMethod) => Promise<void>
