// What is particular about each provider: its addresses, whose word on an address counts, and who signed in.
//
// 1. An identity is the issuer and an id that the provider never gives to another person: never an address or a user name.
// 2. A verified address counts as proven only where the provider itself runs its mailboxes: an address of which the provider once
//    saw a code may belong to another person by now. The operator may trust a provider further (`provesAddresses`).
// 3. Microsoft lets the administrators of any tenant choose the addresses of its accounts, so it never proves one.

import { isRecord } from '#base'
import type { ProviderSettings } from './provider-settings.ts'

/** Who signed in at a provider, by its own word. */
export interface ProviderProfile {
  issuer: string
  subject: string
  email: string | null
  /** Whether the provider says that it has verified the address. */
  isVerified: boolean
  /** What a new account may take its values from, by the names of OpenID. */
  claims: Readonly<Record<string, unknown>>
}

/** What a provider answered about the person. */
interface ProviderAnswer {
  /** The claims of the ID token, with those of the userinfo endpoint; empty without OpenID. */
  claims: Readonly<Record<string, unknown>>
  /** The parameters of the callback: Apple sends a name there. */
  callback: URLSearchParams
  /** Reads an address of the provider with the person's access token. */
  get(address: string): Promise<unknown>
}

/** What discovery would find, by the names of RFC 8414. */
type ProviderMetadata = {
  issuer: string
  authorization_endpoint: string
  token_endpoint: string
  jwks_uri?: string
  token_endpoint_auth_methods_supported: string[]
}

export interface ProviderPreset {
  /** OpenID Connect: the answer has an ID token. */
  isOpenid: boolean
  /** Its addresses; or the issuer at which they are discovered. */
  server: { metadata: ProviderMetadata } | { discover: string }
  scope: string
  /** How the provider calls back, if not by a redirect. */
  responseMode: 'form_post' | null
  /** The issuer that an ID token with these claims must have; null: that of the server. */
  issuerOf?: (claims: Readonly<Record<string, unknown>>) => string | null
  profile(answer: ProviderAnswer): ProviderProfile | Promise<ProviderProfile>
  /** See 2. */
  runsMailbox(address: string, claims: Readonly<Record<string, unknown>>): boolean
}

export function presetOf(name: string, settings: ProviderSettings): ProviderPreset {
  switch (name) {
    case 'google':
      return { ...openid('https://accounts.google.com'), runsMailbox: isGoogleMailbox }
    case 'gitlab':
      return openid(withoutSlash(settings.url ?? 'https://gitlab.com'))
    case 'microsoft':
      return microsoft(settings.tenant ?? 'common')
    case 'apple':
      return {
        ...openid('https://appleid.apple.com'),
        scope: 'openid email name',
        responseMode: 'form_post',
        profile: appleProfile,
        runsMailbox: (address) => appleDomains.includes(domainOf(address)),
      }
    case 'github':
      return github(withoutSlash(settings.url ?? 'https://github.com'))
    case 'discord':
      return discord
    default:
      return openid(settings.issuer!)
  }
}

/** Whether the address counts as proven here. */
export function provesAddress(
  preset: ProviderPreset,
  { provesAddresses: trust = false }: ProviderSettings,
  { email, isVerified, claims }: ProviderProfile,
): boolean {
  if (email === null || !isVerified) return false
  if (preset.runsMailbox(email, claims)) return true
  return trust === true || (Array.isArray(trust) && trust.some((one) => one.toLowerCase() === domainOf(email)))
}

function openid(issuer: string): ProviderPreset {
  return {
    isOpenid: true,
    server: { discover: issuer },
    scope: 'openid email profile',
    responseMode: null,
    profile: ({ claims }) => openidProfile(claims),
    runsMailbox: () => false,
  }
}

function openidProfile(claims: Readonly<Record<string, unknown>>): ProviderProfile {
  const { iss, sub, email, email_verified: verified } = claims
  return {
    issuer: String(iss),
    subject: String(sub),
    email: textOf(email),
    // Apple writes it as a text.
    isVerified: verified === true || verified === 'true',
    claims,
  }
}

/** Google's documents of `email_verified` and `hd`: an address of its own domain, or of an organization that it hosts. */
function isGoogleMailbox(address: string, { hd }: Readonly<Record<string, unknown>>): boolean {
  return ['gmail.com', 'googlemail.com'].includes(domainOf(address)) || textOf(hd) !== null
}

const appleDomains = ['privaterelay.appleid.com', 'icloud.com', 'me.com', 'mac.com']

/** Apple sends the name once, beside the first ID token. Nobody signed it, so it names a new account and nothing else. */
function appleProfile({ claims, callback }: ProviderAnswer): ProviderProfile {
  const profile = openidProfile(claims)
  const user = parsed(callback.get('user') ?? '')
  const { firstName, lastName } = isRecord(user) && isRecord(user.name) ? user.name : {}
  const name = [firstName, lastName].filter((part) => typeof part === 'string' && part !== '').join(' ')
  const names = { given_name: firstName, family_name: lastName, name }
  return name === '' ? profile : { ...profile, claims: { ...names, ...claims } }
}

function microsoft(tenant: string): ProviderPreset {
  const base = `https://login.microsoftonline.com/${tenant}`
  return {
    ...openid(base),
    server: {
      metadata: {
        issuer: `${base}/v2.0`,
        authorization_endpoint: `${base}/oauth2/v2.0/authorize`,
        token_endpoint: `${base}/oauth2/v2.0/token`,
        jwks_uri: `${base}/discovery/v2.0/keys`,
        token_endpoint_auth_methods_supported: ['client_secret_post'],
      },
    },
    // Each tenant is an issuer, and an id means one person only within it.
    issuerOf: ({ tid }) =>
      typeof tid === 'string' && isGuid(tid) && (!isGuid(tenant) || tid.toLowerCase() === tenant.toLowerCase())
        ? `https://login.microsoftonline.com/${tid}/v2.0`
        : null,
    profile: ({ claims }) => ({ ...openidProfile(claims), isVerified: false }),
  }
}

function isGuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)
}

function github(url: string): ProviderPreset {
  const api = url === 'https://github.com' ? 'https://api.github.com' : `${url}/api/v3`
  return {
    ...oauth(url, '/login/oauth/authorize', '/login/oauth/access_token', 'read:user user:email'),
    async profile({ get }) {
      const user = record(await get(`${api}/user`))
      const listed = await get(`${api}/user/emails`)
      const emails = Array.isArray(listed) ? listed.filter(isRecord) : []
      const primary = emails.find((one) => one.primary === true)
      return {
        issuer: url,
        subject: idOf(user.id),
        email: textOf(primary?.email),
        isVerified: primary?.verified === true,
        claims: {
          name: textOf(user.name) ?? textOf(user.login),
          preferred_username: textOf(user.login),
          picture: textOf(user.avatar_url),
        },
      }
    },
  }
}

const discord: ProviderPreset = {
  ...oauth('https://discord.com', '/oauth2/authorize', '/api/oauth2/token', 'identify email'),
  async profile({ get }) {
    const user = record(await get('https://discord.com/api/users/@me'))
    return {
      issuer: 'https://discord.com',
      subject: idOf(user.id),
      email: textOf(user.email),
      isVerified: user.verified === true,
      claims: {
        name: textOf(user.global_name) ?? textOf(user.username),
        preferred_username: textOf(user.username),
        locale: textOf(user.locale),
      },
    }
  },
}

/** OAuth without OpenID: no ID token, no discovery. */
function oauth(url: string, authorize: string, token: string, scope: string): Omit<ProviderPreset, 'profile'> {
  return {
    isOpenid: false,
    server: {
      metadata: {
        issuer: url,
        authorization_endpoint: url + authorize,
        token_endpoint: url + token,
        token_endpoint_auth_methods_supported: ['client_secret_post'],
      },
    },
    scope,
    responseMode: null,
    runsMailbox: () => false,
  }
}

function record(value: unknown): Record<string, unknown> {
  if (isRecord(value)) return value
  throw new Error('the provider did not say who signed in')
}

/** GitHub's ids are numbers. */
function idOf(id: unknown): string {
  if (typeof id === 'string' && id !== '') return id
  if (typeof id === 'number' && Number.isSafeInteger(id)) return String(id)
  throw new Error('the provider did not say who signed in')
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1).toLowerCase()
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '')
}
