// Fakes of the documented endpoints of providers, as far as a sign-in uses them: discovery, keys, tokens and who signed in.

import { createHash } from 'node:crypto'
import { exportJWK, exportPKCS8, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import type { ProviderFetch } from './provider-client.ts'

const { privateKey, publicKey } = await generateKeyPair('RS256')

export interface FakeAnswers {
  /** What `GET` of an address gives. */
  get: Readonly<Record<string, unknown>>
  /** The address of the token endpoint. */
  token: string
  /** The claims of the ID token; null: the provider is not one of OpenID. */
  idToken: ((nonce: string) => JWTPayload) | null
  /** The code that the endpoint takes, and the challenge of the sign-in. */
  code: string
  /** Set when the sign-in begins. */
  expected?: { challenge: string; nonce: string }
}

/** A request that a provider got. */
export interface ProviderCall {
  address: string
  headers: Headers
  body: URLSearchParams
}

/** Answers like the provider; another address fails. `calls` are the requests. */
export function fakeProvider(answers: FakeAnswers): { fetch: ProviderFetch; calls: ProviderCall[] } {
  const calls: ProviderCall[] = []
  return {
    calls,
    async fetch(address, { method = 'GET', headers, body }) {
      const call = { address, headers: new Headers(headers), body: new URLSearchParams(String(body ?? '')) }
      calls.push(call)
      if (method === 'GET' && address in answers.get) return Response.json(answers.get[address])
      if (method !== 'POST' || address !== answers.token) throw new TypeError('fetch failed')
      return tokens(call, answers)
    },
  }
}

async function tokens({ body }: ProviderCall, { idToken, code, expected }: FakeAnswers): Promise<Response> {
  const challenge = createHash('sha256')
    .update(body.get('code_verifier') ?? '')
    .digest('base64url')
  const isRight = body.get('code') === code && challenge === expected?.challenge
  if (!isRight) return Response.json({ error: 'invalid_grant' }, { status: 400 })
  const signed = idToken && { id_token: await sign(idToken(expected.nonce)) }
  return Response.json({ access_token: 'access', token_type: 'bearer', ...signed })
}

function sign(claims: JWTPayload): Promise<string> {
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
    .setIssuedAt()
    .setExpirationTime('5m')
    .sign(privateKey)
}

/** The keys of the fake, as a provider shows them. */
export async function keySet(): Promise<object> {
  return { keys: [{ ...(await exportJWK(publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' }] }
}

/** The discovery document of an issuer, and its keys, by their addresses. */
export async function discovered(issuer: string, more: object = {}): Promise<Record<string, unknown>> {
  return {
    [`${issuer}/.well-known/openid-configuration`]: {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      token_endpoint_auth_methods_supported: ['client_secret_post'],
      ...more,
    },
    [`${issuer}/keys`]: await keySet(),
  }
}

/** A key as Apple gives one to a service. */
export async function applePrivateKey(): Promise<string> {
  return exportPKCS8((await generateKeyPair('ES256', { extractable: true })).privateKey)
}
