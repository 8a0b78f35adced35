// `@twain/client/auth`: accounts of people in a browser, or wherever there is `fetch`.

export { type Auth, type AuthOptions, createAuth } from './auth.ts'
export type { AccountShape, CodeFor, SignInInput, SignUpResult } from './auth-input.ts'
export type { SessionStore } from './session-store.ts'
export type { ChangeReason, Session } from './session-tokens.ts'
