// What an operator may say about identity, in the words of the settings `auth.…`.

export interface AuthSettings {
  /** What tokens are signed with: one or several, divided by commas, the newest first. Null: made once and kept with the
   *  data. */
  secret: string | null
  /** Seconds that a token counts. */
  accessTokenSeconds: number
  /** Seconds within which it can be renewed. */
  refreshTokenSeconds: number
  /** Another issuer whose tokens are taken: its name as they say it, where its keys are, and for whom they must be. */
  issuer: string | null
  jwks: string | null
  audience: string | null
  /** The claim that is the account's login. */
  accountClaim: string
  /** The claim that has the roles; null: the account's own. */
  rolesClaim: string | null
  /** Whether an account is made for a login that is seen for the first time. */
  createAccounts: boolean
}

export const defaultAuthSettings: AuthSettings = {
  secret: null,
  accessTokenSeconds: 15 * 60,
  refreshTokenSeconds: 30 * 24 * 60 * 60,
  issuer: null,
  jwks: null,
  audience: null,
  accountClaim: 'sub',
  rolesClaim: null,
  createAccounts: false,
}

/** Shorter ones can be guessed from a token alone, on a machine of one's own. */
const leastSecret = 32

/** A sentence for each thing that is wrong with them together. */
export function authMistakes(settings: AuthSettings): string[] {
  const mistakes: string[] = []
  if (settings.secret !== null && secretsOf(settings.secret).some((secret) => secret.length < leastSecret)) {
    mistakes.push(`auth.secret wants at least ${leastSecret} characters, for example from: openssl rand -base64 32`)
  }
  const { issuer, jwks, audience } = settings
  const missing = Object.entries({ issuer, jwks, audience }).filter(([, value]) => value === null)
  if (missing.length > 0 && missing.length < 3) {
    const names = missing.map(([name]) => `auth.${name}`).join(' and ')
    mistakes.push(`auth.issuer, auth.jwks and auth.audience belong together; ${names} is not said.`)
  }
  if (jwks !== null && !isSafe(jwks)) {
    mistakes.push('auth.jwks wants an https address (http only on this machine).')
  }
  return mistakes
}

export function secretsOf(text: string): string[] {
  return text
    .split(',')
    .map((secret) => secret.trim())
    .filter((secret) => secret !== '')
}

/** Who can change the keys on their way can sign tokens. */
function isSafe(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, hostname } = new URL(address)
  return protocol === 'https:' || (protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname))
}
