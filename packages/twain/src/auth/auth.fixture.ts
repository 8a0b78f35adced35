// A schema with accounts over a real store in a temporary folder, and a clock that tests advance.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Log } from '#base'
import { system, type Viewer } from '#base/http'
import { createEngine } from '#engine'
import { loadModel } from '#model'
import { type AccountProof, defaultLimits, type NewIdentity, type WritePlan } from '#plan'
import { PlanBuilder, planInput } from '#plan/build'
import { type AttemptStore, type CredentialStore, openStore } from '#store'
import { makeTestPlace } from '#test-place'
import { type Auth, type AuthOptions, createAuth } from './auth.ts'
import { type AuthSettings, defaultAuthSettings } from './settings.ts'
import type { AttemptLimits } from './sign-in/shared-attempts.ts'
import { SignedTokens } from './tokens/signed-tokens.ts'
import { SigningKeys } from './tokens/signing-keys.ts'
import type { Tokens } from './tokens.ts'

const sdl = 'type User @account @allow { id: ID!, email: String! @unique, name: String, roles: [String!] }'

type SignInFunction = (email: string, password?: string, address?: string) => ReturnType<Tokens['signIn']>

export interface AuthFixture {
  auth: Auth
  tokens: Tokens
  credentials: CredentialStore
  /** Signs tokens that no client could get. */
  signedTokens: SignedTokens
  keys: SigningKeys
  /** Milliseconds; tests advance it. */
  time: { now: number }
  warnings: object[]
  /** Returns the id of the account. */
  signUp(email: string, password?: string, roles?: string[]): Promise<string>
  /** Creates an account that belongs to an external identity. */
  makeAccount(identity: NewIdentity & { claims: object }): Promise<string>
  setRoles(account: string, roles: string[]): Promise<void>
  setLogin(account: string, email: string): Promise<void>
  setPassword(account: string, password: string, viewer: Viewer): Promise<void>
  remove(account: string): Promise<void>
  signIn: SignInFunction
  /** Another node of the service, over the same store. */
  anotherNode(): Promise<{ signIn: SignInFunction }>
  attempts: AttemptStore
  /** What was written to `attempts`. */
  writes: string[]
  viewerOf(token: string): Promise<Viewer>
}

export const goodPassword = 'correct horse battery'

export async function openAuth(
  t: TestContext,
  settings: Partial<AuthSettings & AttemptLimits> = {},
  more: Partial<AuthOptions> = {},
): Promise<AuthFixture> {
  const data = mkdtempSync(join(tmpdir(), 'twain-auth-'))
  const warnings: object[] = []
  const log: Log = { info() {}, warn: (fields) => warnings.push(fields), error() {} }
  const model = loadModel(sdl, 'test.graphql')
  const { place, drop } = await makeTestPlace(data)
  const time = { now: Date.now() }
  const clock = () => time.now
  const store = await openStore({ ...place, model, sdl, limits: defaultLimits, log, clock })
  t.after(async () => {
    await store.close()
    await drop()
    rmSync(data, { recursive: true })
  })
  const { credentials } = store
  const all = { ...defaultAuthSettings, ...settings }
  const makeAccount: AuthFixture['makeAccount'] = ({ issuer, subject, address, claims }) => {
    const email = 'email' in claims ? claims.email : subject
    return write('create', null, { email }, system, { issuer, subject, address })
  }
  const proveAccount: AuthOptions['proveAccount'] = async (account, proof) => {
    await write('update', account, {}, system, undefined, proof)
    return new Date(time.now).toISOString()
  }
  const writes: string[] = []
  const attempts: AttemptStore = {
    read: (keys, now) => store.attempts.read(keys, now),
    fail(keys, now) {
      writes.push('fail')
      return store.attempts.fail(keys, now)
    },
    forget(keys) {
      writes.push('forget')
      return store.attempts.forget(keys)
    },
  }
  const options = { model, credentials, attempts, log, clock, settings: all, makeAccount, proveAccount }
  const auth = await createAuth({ ...options, ...more })
  const tokens = auth.tokens!
  const engine = createEngine({ model, store, limits: defaultLimits, passwords: tokens })
  const of = model.account!.resource

  async function write(
    action: WritePlan['action'],
    id: string | null,
    input: object,
    viewer: Viewer,
    identity?: NewIdentity,
    proof?: AccountProof,
  ): Promise<string> {
    const builder = new PlanBuilder(engine.visibility(viewer))
    const parameter =
      id === null ? null : builder.parameter({ kind: 'type', type: { kind: 'scalar', name: 'ID' } }, id, 'id')
    const takesInput = action === 'create' || action === 'replace' || action === 'update'
    const set = takesInput ? planInput(input, of, action, builder, '', false) : []
    builder.finish(defaultLimits)
    const plan: WritePlan = {
      ...{ kind: 'write', action, of, id: parameter, set, ifVersion: null, answer: [] },
      ...(identity && { identity }),
      ...(proof && { proof }),
    }
    const answer = await engine.execute({ plan, values: builder.values(), places: builder.places }, viewer)
    if (answer.kind !== 'written' && answer.kind !== 'deleted') throw new Error(answer.kind)
    return answer.id
  }

  const keys = new SigningKeys(credentials, all, clock)
  return {
    auth,
    tokens,
    credentials,
    keys,
    signedTokens: new SignedTokens(keys, clock),
    time,
    warnings,
    makeAccount,
    signUp: (email, password = goodPassword, roles = []) => write('create', null, { email, password, roles }, system),
    setRoles: async (account, roles) => void (await write('update', account, { roles }, system)),
    setLogin: async (account, email) => void (await write('update', account, { email }, system)),
    setPassword: async (account, password, viewer) => void (await write('update', account, { password }, viewer)),
    remove: async (account) => void (await write('delete', account, {}, system)),
    signIn: signInAt(tokens),
    anotherNode: async () => ({ signIn: signInAt((await createAuth({ ...options, ...more })).tokens!) }),
    attempts,
    writes,
    viewerOf: async (token) => auth.viewerOf({ headers: { authorization: `Bearer ${token}` } }),
  }
}

function signInAt(tokens: Tokens): SignInFunction {
  return (email, password = goodPassword, address = '192.0.2.1') => tokens.signIn({ email, password }, address)
}
