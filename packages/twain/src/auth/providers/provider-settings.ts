// The settings `auth.providers` and `auth.returnTo`: who people may sign in with, and where they come back to.

import { didYouMean, isRecord } from '#base'
import { insecureUrl, isSecureUrl } from '../issuer-settings.ts'

/** One provider. Which members it has depends on its preset (`presets.ts`). */
export interface ProviderSettings {
  clientId: string
  clientSecret?: string
  /** Any OpenID provider: its issuer, from which discovery starts. */
  issuer?: string
  /** GitLab, GitHub Enterprise: where the installation is. */
  url?: string
  /** Microsoft: whose accounts. */
  tenant?: string
  /** Apple: what signs the client secret. */
  teamId?: string
  keyId?: string
  privateKey?: string
  /** Whether a verified address counts as proven here: of all domains, or of these. */
  provesAddresses?: boolean | string[]
}

export interface SignInProviderSettings {
  /** A JSON object: the settings of each provider by its name. Null: there are none. */
  providers: string | null
  /** The addresses that a sign-in may return to, separated by commas. */
  returnTo: string | null
}

type MemberName = keyof ProviderSettings

interface ProviderMembers {
  required: readonly MemberName[]
  optional: readonly MemberName[]
  /** Nobody can rely on its addresses. */
  provesNothing?: true
}

/** The members of each preset. Any other name is an OpenID provider. */
const presetMembers: Readonly<Record<string, ProviderMembers>> = {
  google: { required: ['clientId', 'clientSecret'], optional: ['provesAddresses'] },
  github: { required: ['clientId', 'clientSecret'], optional: ['url', 'provesAddresses'] },
  gitlab: { required: ['clientId', 'clientSecret'], optional: ['url', 'provesAddresses'] },
  microsoft: { required: ['clientId', 'clientSecret'], optional: ['tenant'], provesNothing: true },
  apple: { required: ['clientId', 'teamId', 'keyId', 'privateKey'], optional: ['provesAddresses'] },
  discord: { required: ['clientId', 'clientSecret'], optional: ['provesAddresses'] },
}

const openidMembers: ProviderMembers = {
  required: ['issuer', 'clientId', 'clientSecret'],
  optional: ['provesAddresses'],
}

const namePattern = /^[a-z][a-z0-9-]{0,39}$/

/** By name. Throws for settings that have mistakes. */
export function providersOf({ providers }: SignInProviderSettings): Map<string, ProviderSettings> {
  return new Map(providers === null ? [] : Object.entries(JSON.parse(providers) as Record<string, ProviderSettings>))
}

export function returnAddresses({ returnTo }: SignInProviderSettings): string[] {
  const listed = returnTo?.split(',') ?? []
  return listed.map((address) => address.trim()).filter((address) => address !== '')
}

/** A sentence for each problem. None repeats a value: it may be a secret. */
export function providerMistakes(settings: SignInProviderSettings): string[] {
  const addresses = returnAddresses(settings)
  const mistakes = addresses.flatMap((address, index) => returnMistakes(address, `auth.returnTo[${index}]`))
  if (settings.providers === null) return mistakes
  const providers = parseObject(settings.providers)
  if (providers === null) {
    return [...mistakes, 'auth.providers must be a JSON object: {"google": {"clientId": …, "clientSecret": …}}.']
  }
  if (addresses.length === 0 && Object.keys(providers).length > 0) {
    mistakes.push('auth.providers needs auth.returnTo: the addresses of your application that a sign-in may return to.')
  }
  return [
    ...mistakes,
    ...Object.entries(providers).flatMap(([name, one]) => mistakesOf(name, one, `auth.providers.${name}`)),
  ]
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : null
  } catch {
    return null
  }
}

function mistakesOf(name: string, one: unknown, place: string): string[] {
  if (!namePattern.test(name)) {
    return [`${place}: a name has small letters, digits and dashes, and starts with a letter.`]
  }
  if (!isRecord(one)) return [`${place} must be an object: {"clientId": …, "clientSecret": …}.`]
  const { required, optional, provesNothing } =
    (Object.hasOwn(presetMembers, name) ? presetMembers[name] : undefined) ?? openidMembers
  const known: readonly string[] = [...required, ...optional]
  const mistakes: string[] = []
  for (const member of Object.keys(one)) {
    if (known.includes(member)) continue
    mistakes.push(
      member === 'provesAddresses' && provesNothing === true
        ? `${place}.provesAddresses: its accounts can have any address, so none of them is proven.`
        : `${place}.${member} is unknown.${didYouMean(member, known)}`,
    )
  }
  for (const member of required) {
    if (one[member] !== undefined) continue
    const hint = member === 'issuer' ? didYouMean(name, Object.keys(presetMembers)) : ''
    mistakes.push(`${place}.${member} is missing.${hint}`)
  }
  return [...mistakes, ...valueMistakes(one, known, place)]
}

function valueMistakes(one: Record<string, unknown>, known: readonly string[], place: string): string[] {
  const mistakes: string[] = []
  for (const member of known) {
    const value = one[member]
    if (value === undefined) continue
    if (member === 'provesAddresses') {
      if (!isTrust(value)) mistakes.push(`${place}.provesAddresses must be true, false, or a list of domains.`)
    } else if (typeof value !== 'string' || value === '') mistakes.push(`${place}.${member} must be a text.`)
    else if ((member === 'issuer' || member === 'url') && !isSecureUrl(value)) {
      mistakes.push(`${place}.${member} ${insecureUrl}`)
    } else if (member === 'tenant' && !/^[A-Za-z0-9.-]+$/.test(value)) {
      mistakes.push(`${place}.tenant must be common, organizations, consumers, or the id or domain of a tenant.`)
    }
  }
  return mistakes
}

function isTrust(value: unknown): boolean {
  return typeof value === 'boolean' || (Array.isArray(value) && value.every((one) => typeof one === 'string'))
}

/** RFC 8252, 7: an application on a device has a scheme of its own, which contains a dot. */
function returnMistakes(address: string, place: string): string[] {
  const url = URL.parse(address)
  const isOwnScheme = url?.protocol.slice(0, -1).includes('.')
  if (url === null || !(isOwnScheme || isSecureUrl(address))) return [`${place} ${insecureUrl}`]
  if (address.includes('#')) return [`${place} must have no fragment.`]
  if (url.username !== '' || url.password !== '') return [`${place} must have no password.`]
  const added = ['code', 'error'].filter((name) => url.searchParams.has(name))
  return added.map((name) => `${place} must not have the parameter ${name}: the sign-in adds it.`)
}
