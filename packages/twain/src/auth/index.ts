export { type AccessFilters, accessFilters, readAccessMatrix } from './access-matrix.ts'
export { type Auth, type AuthOptions, createAuth } from './auth.ts'
export type { ProveAccount } from './codes/account-codes.ts'
export { AccountExport, type AccountExportPage } from './export/account-export.ts'
export { identityWriter } from './providers/identity-writer.ts'
export type { MakeProviderAccount } from './providers/provider-accounts.ts'
export type { OauthLibrary, ProviderFetch } from './providers/provider-client.ts'
export type { ProviderEnvironment } from './providers/provider-sign-in.ts'
export type { ProviderIdentity } from './providers/sign-in-codes.ts'
export { admitAccess, rowAccess } from './row-access.ts'
export { idleMs } from './sessions/session-times.ts'
export { type AuthSettings, authMistakes, defaultAuthSettings } from './settings.ts'
export { type AttemptLimits, defaultAttemptLimits } from './sign-in/shared-attempts.ts'
export { tokenWriter } from './sign-in/token-writer.ts'
export { keyWriter, makeKey, type NewKey } from './tokens/api-keys.ts'
export type { ExternalIdentity } from './tokens/external-issuer.ts'
export { SignedTokens } from './tokens/signed-tokens.ts'
export { SigningKeys } from './tokens/signing-keys.ts'
export {
  type BrowserStep,
  type Codes,
  type IssuedActing,
  type IssuedCode,
  type IssuedTicket,
  type IssuedToken,
  type LinkPurpose,
  type Providers,
  type Tokens,
  unknownInvitation,
  type VerifiedAccount,
} from './tokens.ts'
