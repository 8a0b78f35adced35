// A fake of `Tokens` that records its calls, for the tests of adapters.

import { ApiError } from '#base'
import { anonymous, type Viewer } from '#base/http'
import type { Tokens } from './tokens.ts'

export const issuedToken = { id: 't1', token: 'jwt', refreshToken: 'r1', expiresAt: '2026-01-01T00:15:00.000Z' }
export const ticket = { id: 'x', ticket: 'once', expiresAt: '2026-01-01T00:01:00.000Z' }
export const actingToken = {
  ...{ id: 't3', token: 'act', expiresAt: '2026-01-01T00:15:00.000Z', readOnly: true, reason: null },
  ...{ by: 'account:u1', how: 'ACTING' as const },
}
export const ann: Viewer = { account: 'u1', roles: [], authenticated: true, token: 't1' }

/** Knows `ann` alone, who signs in with any password but `wrong`. */
export function fakeTokens(): { calls: unknown[]; tokens: Tokens } {
  const calls: unknown[] = []
  const tokens: Tokens = {
    async signIn(input, address) {
      calls.push(input, address)
      if (input.password === 'wrong') throw new ApiError('UNAUTHENTICATED', 'No.')
      return issuedToken
    },
    async endSessions(input, { account }) {
      calls.push(input, account)
      return ['t2']
    },
    async makeTicket(input, viewer) {
      if (!(await viewer()).authenticated) throw new ApiError('UNAUTHENTICATED', 'Sign in.')
      calls.push(input)
      return ticket
    },
    isActingInput: (input) => Object.hasOwn(input, 'as'),
    async actAs(input, viewer) {
      if (!(await viewer()).authenticated) throw new ApiError('UNAUTHENTICATED', 'Sign in.')
      calls.push(input)
      return actingToken
    },
    mayActAsAny: async () => false,
    validate() {},
    loginPath: () => null,
    isTicketInput: (input) => Object.hasOwn(input, 'for'),
    viewerOf: async ({ headers }) => (headers.authorization === undefined ? anonymous : ann),
    refreshed: async () => null,
    rightsOf: async () => null,
    hashPassword: async () => '',
    admitSignUp: async () => {},
    confirm: async () => ({ kind: 'recent' }),
    codes: null,
    providers: null,
    linkIdentity: () => Promise.reject(new Error('no providers')),
    validateLink() {},
    signUps: null,
    invitations: null,
  }
  return { calls, tokens }
}
