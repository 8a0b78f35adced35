// Confirms that the owner of an account changes its password or login. A stolen access token alone must not be enough to take
// the account over: it ends after minutes, a changed password does not.

import type { Viewer } from '#base/http'
import type { Confirmation, LoginChange } from '#plan'
import type { CredentialStore } from '#store'
import type { LoginAttempts } from './login-attempts.ts'
import type { Passwords } from './passwords.ts'

/** How long a sign-in confirms changes. A renewal of the session is no sign-in. */
const recentMs = 5 * 60_000

interface OwnerConfirmationOptions {
  credentials: Pick<CredentialStore, 'passwordHash'>
  passwords: Passwords
  attempts: LoginAttempts
  /** Prepares a change of the login whose new address must be proven; null: logins change at once. */
  prepareChange: (() => Promise<LoginChange>) | null
  clock: () => number
}

export class OwnerConfirmation {
  readonly #options: OwnerConfirmationOptions

  constructor(options: OwnerConfirmationOptions) {
    this.#options = options
  }

  async confirm(viewer: Viewer, currentPassword: string | null): Promise<Confirmation | null> {
    const { account, signedInAt } = viewer
    // Whoever acts as the account must not try its passwords.
    if (account === null || viewer.acting !== undefined) return null
    if (currentPassword !== null) return this.#verify(account, viewer.token ?? account, currentPassword)
    const isRecent = signedInAt !== undefined && this.#options.clock() - signedInAt <= recentMs
    return isRecent ? { kind: 'recent', change: await this.#change() } : null
  }

  /** Failures count for each session, not for each address: whoever stole its token has no other. */
  async #verify(account: string, session: string, password: string): Promise<Confirmation> {
    const { credentials, passwords, attempts } = this.#options
    const attempt = attempts.beginInSession(session)
    try {
      const hash = await credentials.passwordHash(account)
      const isRight = await passwords.verify(password, hash, account)
      if (hash === null || !isRight) return { kind: 'wrongPassword' }
      attempt.succeeded()
      return { kind: 'password', hash, change: await this.#change() }
    } catch (error) {
      attempt.cancel()
      throw error
    }
  }
  async #change(): Promise<LoginChange | null> {
    const { prepareChange } = this.#options
    return prepareChange === null ? null : prepareChange()
  }
}
