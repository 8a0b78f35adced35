// The settings `auth.…`.

import { type ExternalIssuerSettings, insecureUrl, isSecureUrl, issuerMistakes } from './issuer-settings.ts'
import { providerMistakes, type SignInProviderSettings } from './providers/provider-settings.ts'
import { defaultSessionSettings, type SessionSettings, sessionMistakes } from './sessions/session-times.ts'

export interface AuthSettings extends ExternalIssuerSettings, SessionSettings, SignInProviderSettings {
  /** The signing secrets: one or several, separated by commas, newest first. Null: Twain generates one and stores it with the
   *  data. */
  secret: string | null
  /** How long an access token is valid. */
  accessTokenSeconds: number
}

export const defaultAuthSettings: AuthSettings = {
  secret: null,
  accessTokenSeconds: 15 * 60,
  ...defaultSessionSettings,
  issuer: null,
  jwks: null,
  audience: null,
  accountClaim: 'sub',
  rolesClaim: null,
  createAccounts: false,
  issuers: null,
  providers: null,
  returnTo: null,
}

/** Shorter secrets can be guessed offline from a single token. */
const minSecretLength = 32

/** A sentence for each problem of the combined settings. */
export function authMistakes(settings: AuthSettings): string[] {
  const mistakes: string[] = []
  if (settings.secret !== null && secretsOf(settings.secret).some((secret) => secret.length < minSecretLength)) {
    mistakes.push(
      `auth.secret must have at least ${minSecretLength} characters, for example from: openssl rand -base64 32`,
    )
  }
  const { issuer, jwks, audience } = settings
  const missing = Object.entries({ issuer, jwks, audience }).filter(([, value]) => value === null)
  if (missing.length > 0 && missing.length < 3) {
    const names = missing.map(([name]) => `auth.${name}`).join(' and ')
    mistakes.push(`auth.issuer, auth.jwks and auth.audience belong together; ${names} is missing.`)
  }
  if (jwks !== null && !isSecureUrl(jwks)) mistakes.push(`auth.jwks ${insecureUrl}`)
  return [...mistakes, ...sessionMistakes(settings), ...issuerMistakes(settings), ...providerMistakes(settings)]
}

export function secretsOf(text: string): string[] {
  return text
    .split(',')
    .map((secret) => secret.trim())
    .filter((secret) => secret !== '')
}
