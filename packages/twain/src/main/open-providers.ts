// What sign-in with providers needs of the service: the package that speaks OAuth, and the public address.

import type { AuthSettings, OauthLibrary, ProviderEnvironment, ProviderFetch } from '#auth'
import type { Mailbox } from '#mail'
import type { Model } from '#model'
import { StartRefused } from '#store'

interface ProviderSources {
  auth?: AuthSettings
  mailbox?: Mailbox | null
  providerFetch?: ProviderFetch
}

/** Null: nobody signs in with a provider. Throws StartRefused if a provider would not find the way back, or the package is not
 *  installed. */
export async function openProviders(
  { account }: Model,
  { auth, mailbox = null, providerFetch }: ProviderSources,
  origins: readonly string[],
): Promise<ProviderEnvironment | null> {
  if (account === null || auth === undefined || auth.providers === null || auth.providers === '{}') return null
  const origin = origins.find((one) => URL.canParse(one))
  if (origin === undefined && mailbox === null) {
    throw new StartRefused(
      'A provider sends people back to this service, so it needs its public address: set http.origin, such as https://api.example.com.',
    )
  }
  return {
    library: await loadLibrary(),
    // `twain dev` knows its address once it listens.
    origin: () => origin ?? (mailbox?.origin ?? '') + (origins[0] ?? ''),
    ...(providerFetch && { fetch: providerFetch }),
  }
}

async function loadLibrary(): Promise<OauthLibrary> {
  try {
    return await import('oauth4webapi')
  } catch (cause) {
    if (!isMissing(cause)) throw cause
    throw new StartRefused('auth.providers needs the package oauth4webapi. Install it: npm install oauth4webapi')
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
}
