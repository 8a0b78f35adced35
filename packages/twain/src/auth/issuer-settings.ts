// The external issuers of the settings. `auth.issuer`, `auth.jwks` and so on configure one. `auth.issuers` lists more: JSON in a
// flag or a variable, a list of objects in `twain.config.ts`.

import { didYouMean, isRecord } from '#base'

/** The `iss` claim of Twain's own tokens. */
export const ownIssuer = 'twain'

/** One external issuer. */
export interface IssuerSettings {
  /** The `iss` claim of its tokens. */
  issuer: string
  /** The URL of its keys. */
  jwks: string
  /** The required `aud` claim. */
  audience: string
  /** The claim that identifies an account at the issuer. */
  accountClaim: string
  /** The claim with the roles; null: the roles of the account apply. */
  rolesClaim: string | null
  /** Whether Twain creates an account for an unknown identity. */
  createAccounts: boolean
}

/** The settings `auth.…` of external issuers. */
export interface ExternalIssuerSettings extends Pick<IssuerSettings, 'accountClaim' | 'rolesClaim' | 'createAccounts'> {
  /** These three are set together; null: there is no such issuer. */
  issuer: string | null
  jwks: string | null
  audience: string | null
  /** Further external issuers: a JSON list of objects with the members of `IssuerSettings`. */
  issuers: string | null
}

const required = ['issuer', 'jwks', 'audience'] as const
const texts = [...required, 'accountClaim', 'rolesClaim']
const members = [...texts, 'createAccounts']

/** All external issuers. Throws for settings that have mistakes. */
export function issuersOf(settings: ExternalIssuerSettings): IssuerSettings[] {
  const { issuer, jwks, audience, accountClaim, rolesClaim, createAccounts, issuers } = settings
  const listed = issuers === null ? [] : (JSON.parse(issuers) as Partial<IssuerSettings>[])
  return [
    ...(issuer === null || jwks === null || audience === null
      ? []
      : [{ issuer, jwks, audience, accountClaim, rolesClaim, createAccounts }]),
    ...listed.map((one) => ({ ...optionalMembers, ...(one as IssuerSettings) })),
  ]
}

const optionalMembers = { accountClaim: 'sub', rolesClaim: null, createAccounts: false }

/** A sentence for each problem of `auth.issuers`, and of issuers that clash. */
export function issuerMistakes(settings: ExternalIssuerSettings): string[] {
  const { issuer, issuers } = settings
  const names = issuer === null ? [] : [issuer]
  const mistakes: string[] = []
  for (const [index, one] of (issuers === null ? [] : parseList(issuers, mistakes)).entries()) {
    const place = `auth.issuers[${index}]`
    if (!isRecord(one)) {
      mistakes.push(`${place} must be an object: {"issuer": …, "jwks": …, "audience": …}.`)
      continue
    }
    mistakes.push(...memberMistakes(one).map((mistake) => `${place}${mistake}`))
    if (typeof one.issuer === 'string') names.push(one.issuer)
  }
  // A token names its issuer, which chooses how the token is verified.
  for (const name of new Set(names.filter((each, index) => names.indexOf(each) !== index))) {
    mistakes.push(`The settings name the issuer "${name}" more than once.`)
  }
  if (names.includes(ownIssuer))
    mistakes.push(`The issuer "${ownIssuer}" is Twain itself, and can't be an external one.`)
  return mistakes
}

function parseList(text: string, mistakes: string[]): unknown[] {
  try {
    const list: unknown = JSON.parse(text)
    if (Array.isArray(list)) return list
  } catch {
    // reported below
  }
  mistakes.push('auth.issuers must be a JSON list: [{"issuer": …, "jwks": …, "audience": …}].')
  return []
}

function memberMistakes(one: Record<string, unknown>): string[] {
  const mistakes: string[] = []
  for (const name of Object.keys(one)) {
    if (!members.includes(name)) mistakes.push(`.${name} is unknown.${didYouMean(name, members)}`)
  }
  for (const name of required) if (one[name] === undefined) mistakes.push(`.${name} is missing.`)
  for (const name of texts) {
    const value = one[name]
    if (value !== undefined && (typeof value !== 'string' || value === '')) mistakes.push(`.${name} must be a text.`)
  }
  if (one.createAccounts !== undefined && typeof one.createAccounts !== 'boolean') {
    mistakes.push('.createAccounts must be true or false.')
  }
  if (typeof one.jwks === 'string' && one.jwks !== '' && !isSecureUrl(one.jwks)) mistakes.push(`.jwks ${insecureUrl}`)
  return mistakes
}

export const insecureUrl = 'must be an https URL (http only for localhost).'

/** Somebody who can change the keys in transit can sign tokens. */
export function isSecureUrl(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, hostname } = new URL(address)
  return protocol === 'https:' || (protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname))
}
