// What a sign-in remembers while the person is at the provider: encrypted, in a cookie of the browser that began it.
//
// 1. The callback is good only in that browser: the state in its address finds the cookie, and must equal the one inside. Nobody can
//    make another browser finish a sign-in (login CSRF), and a stolen callback is worth nothing elsewhere.
// 2. Any node reads it: the keys are those of the service. Nothing is stored for sign-ins that nobody finishes.
// 3. The cookie is `__Host-`: no other host, subdomain or plain connection can set it. Only a service without https, on the same
//    machine, has another name.
// 4. A browser has at most as many cookies as there are slots, so that nobody can fill its requests with them.

import { randomBytes } from '#base/time'
import type { DerivedKeys } from '../tokens/derived-keys.ts'
import { isSameSecret } from '../tokens/same-secret.ts'
import type { FlowSecrets } from './provider-client.ts'

const slots = ['0', '1', '2', '3']
const lifetimeSeconds = 600

/** One sign-in, from its first request to its callback. */
export interface SignInFlow extends FlowSecrets {
  provider: string
  /** Where the application is. */
  to: string
  /** Of the application's own verifier (RFC 7636, S256). */
  challenge: string
  /** Milliseconds since 1970. */
  expires: number
}

export class FlowCookies {
  readonly #keys: DerivedKeys
  readonly #isSecure: () => boolean
  readonly #clock: () => number

  constructor(keys: DerivedKeys, isSecure: () => boolean, clock: () => number) {
    this.#keys = keys
    this.#isSecure = isSecure
    this.#clock = clock
  }

  /** A new flow, and the cookie to set. `sent` is the cookie header of the request: other sign-ins of the browser go on. */
  async begin(
    { provider, to, challenge }: Pick<SignInFlow, 'provider' | 'to' | 'challenge'>,
    sent: string | undefined,
  ): Promise<{ flow: SignInFlow; cookie: string }> {
    const used = cookiesOf(sent)
    const slot = slots.find((one) => !used.has(this.#name(one))) ?? slots[randomBytes(1)[0]! % slots.length]!
    const flow: SignInFlow = {
      provider,
      to,
      challenge,
      state: slot + secret(),
      nonce: secret(),
      verifier: secret(),
      expires: this.#clock() + lifetimeSeconds * 1000,
    }
    return { flow, cookie: this.#cookie(slot, await this.#keys.seal(JSON.stringify(flow), 'sign-in'), lifetimeSeconds) }
  }

  /** The flow of this browser with the state; null: there is none. */
  async find(state: string, provider: string, sent: string | undefined): Promise<SignInFlow | null> {
    const sealed = cookiesOf(sent).get(this.#name(state.slice(0, 1)))
    const text = sealed === undefined ? null : await this.#keys.open(sealed, 'sign-in')
    if (text === null) return null
    const flow = JSON.parse(text) as SignInFlow
    return isSameSecret(flow.state, state) && flow.provider === provider && flow.expires > this.#clock() ? flow : null
  }

  /** The cookie that ends a flow. */
  end({ state }: FlowSecrets): string {
    return this.#cookie(state.slice(0, 1), '', 0)
  }

  #name(slot: string): string {
    return `${this.#isSecure() ? '__Host-' : ''}twain-sign-in-${slot}`
  }

  #cookie(slot: string, value: string, seconds: number): string {
    const secure = this.#isSecure() ? '; Secure' : ''
    return `${this.#name(slot)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`
  }
}

function cookiesOf(header = ''): Map<string, string> {
  const cookies = new Map<string, string>()
  for (const pair of header.split(';')) {
    const at = pair.indexOf('=')
    const name = pair.slice(0, at).trim()
    // A browser sends the most specific one first.
    if (at > 0 && !cookies.has(name)) cookies.set(name, pair.slice(at + 1).trim())
  }
  return cookies
}

/** 256 bits. */
function secret(): string {
  return randomBytes(32).toString('base64url')
}
