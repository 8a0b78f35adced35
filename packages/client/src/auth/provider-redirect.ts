// The way to a provider and back: `GET /sign-in/{provider}` with the challenge of a secret that only this tab has (PKCE, RFC
// 7636). A code that somebody else started, or stole from the address, is worth nothing without it.

import { openStore, type SessionStore } from './session-store.ts'

/** The parts of a browser's page that are used. */
interface BrowserPage {
  location: { href: string; origin: string; pathname: string; assign(url: string): void }
  history: { state: unknown; replaceState(state: unknown, unused: string, url: string): void }
}

/** What comes back from a provider. */
export interface ProviderReturn {
  code: string
  verifier: string
  /** The identity is for the account that is signed in. */
  isLink: boolean
}

/** Parameters that the way back adds to the address. */
const returned = ['code', 'error']

export class ProviderRedirect {
  readonly #base: string
  readonly #pending: SessionStore

  constructor(base: string, name: string) {
    this.#base = base
    this.#pending = openStore('session', `${name} provider`)
  }

  /** Leaves the page. */
  async leave(provider: string, to: string | undefined, isLink: boolean): Promise<void> {
    const { location } = page()
    const verifier = base64url(crypto.getRandomValues(new Uint8Array(32)))
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
    const parameters = new URLSearchParams({
      to: to ?? location.origin + location.pathname,
      challenge: base64url(new Uint8Array(digest)),
    })
    this.#pending.set(JSON.stringify({ verifier, isLink }))
    location.assign(`${this.#base}/sign-in/${encodeURIComponent(provider)}?${parameters}`)
  }

  /** Takes the answer out of the address, so that no reload, bookmark or referrer has it. Null: the page is no way back. */
  take(): ProviderReturn | null {
    const pending = this.#pending.get()
    if (pending === null) return null
    const { location, history } = page()
    const address = new URL(location.href)
    const [code, error] = returned.map((name) => address.searchParams.get(name))
    if (code == null && error == null) return null
    this.#pending.set(null)
    for (const name of returned) address.searchParams.delete(name)
    history.replaceState(history.state, '', address.href)
    if (code == null) throw new Error(`The provider did not sign you in: ${error}`)
    return { code, ...(JSON.parse(pending) as Pick<ProviderReturn, 'verifier' | 'isLink'>) }
  }
}

function page(): BrowserPage {
  return globalThis as unknown as BrowserPage
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')
}
