// Apple takes no client secret but a token that the service signs with its key (Sign in with Apple, "Creating a client secret").

import type { ProviderSettings } from './provider-settings.ts'

const lifetimeSeconds = 300

export async function appleSecret(
  { clientId, teamId, keyId, privateKey }: ProviderSettings,
  now: number,
): Promise<string> {
  const { importPKCS8, SignJWT } = await import('jose')
  // In an environment variable, the lines of the key may be written as \n.
  const key = await importPKCS8(privateKey!.replaceAll('\\n', '\n'), 'ES256')
  const seconds = Math.floor(now / 1000)
  return new SignJWT()
    .setProtectedHeader({ alg: 'ES256', kid: keyId! })
    .setIssuer(teamId!)
    .setSubject(clientId)
    .setAudience('https://appleid.apple.com')
    .setIssuedAt(seconds)
    .setExpirationTime(seconds + lifetimeSeconds)
    .sign(key)
}
