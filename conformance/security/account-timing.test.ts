// Nothing that a stranger can see tells whether an address has an account: not the status, the body, or the time of any flow. `npm test`
// takes 12 samples of each kind, which finds a check that is left out; `npm run samples` takes 2,000.
// stores: sqlite
// all samples: sqlite, postgres
// process: own (it makes hashes cheap)

import assert from 'node:assert/strict'
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { MailedAccounts } from '../harness/mailed-accounts.ts'

// A hash of a password takes 40 ms, which hides small differences, and 24,000 of them take hours. With a 256th of the memory its time
// still depends on the parameters of the stored hash.
const { argon2 } = crypto
Object.assign(crypto, {
  argon2: (name: 'argon2id', parameters: crypto.Argon2Parameters, done: Parameters<typeof argon2>[2]) =>
    argon2(name, { ...parameters, memory: Math.ceil(parameters.memory / 256) }, done),
})
syncBuiltinESMExports()
const { MailedAccounts: Accounts, password } = await import('../harness/mailed-accounts.ts')

const sdl = (verification: string) => `
type User @account(verification: ${verification}) @allow(to: [CREATE]) @allow(who: "self") @allow(role: "admin") {
  id: ID!
  email: String! @unique
}`
const isWhole = process.env.TWAIN_SAMPLES === 'all'
const sampleCount = isWhole ? 2000 : 12
/** How far the chance that a known address takes longer may be from one half: seven standard deviations of 2,000 samples; nearly every
 *  one of 12. */
const maxBias = isWhole ? 0.06 : 0.47

const hourMs = 3_600_001
const known = 'ann@example.org'
const unknown = 'bob@example.org'
const wrong = { code: '00000000' }

type Answer = Promise<{ status: number; text: string }>

interface Flow {
  run(accounts: MailedAccounts, email: string, secret: string): Answer
  /** The secret of such a code is needed. */
  code?: 'RESET' | 'SIGN_IN' | 'VERIFY'
  /** Everybody gets a mail. */
  isSignUp?: true
  /** The known account is locked. */
  isLocked?: true
}

const flows: Record<string, Flow> = {
  'a wrong password': { run: (accounts, email) => accounts.signIn(email, `not ${password}`) },
  'a wrong password in GraphQL': {
    run: (accounts, email) => createToken(accounts, { email, password: `not ${password}` }),
  },
  'the right password of a locked account': { isLocked: true, run: (accounts, email) => accounts.signIn(email) },
  'a code to reset the password': {
    run: (accounts, email) => accounts.call('POST', '/codes', { for: 'RESET', email }),
  },
  'a code to sign in': {
    run: (accounts, email) => accounts.call('POST', '/codes', { for: 'SIGN_IN', email }),
  },
  'a code to verify, in GraphQL': {
    run: (accounts, email) =>
      mutate(accounts, '($input: CreateCodeInput!) { createCode(input: $input) { secret expiresAt } }', {
        for: 'VERIFY',
        email,
      }),
  },
  'a wrong code to sign in': {
    code: 'SIGN_IN',
    run: (accounts, email, secret) => accounts.call('POST', '/tokens', { email, secret, ...wrong }),
  },
  'a wrong code to reset the password, in GraphQL': {
    code: 'RESET',
    run: (accounts, email, secret) => createToken(accounts, { email, secret, password, ...wrong }),
  },
  'a wrong code to verify': {
    code: 'VERIFY',
    run: (accounts, email, secret) => accounts.call('POST', '/verifications', { email, secret, ...wrong }),
  },
  'a sign-up': {
    isSignUp: true,
    run: (accounts, email) => accounts.call('POST', '/users', { email, password }),
  },
  'a sign-up in GraphQL': {
    isSignUp: true,
    run: (accounts, email) =>
      mutate(accounts, '($input: CreateUserInput!) { signUp(input: $input) { secret expiresAt } }', {
        email,
        password,
      }),
  },
}

for (const [name, flow] of Object.entries(flows)) {
  test(`${name}: an address with an account and one without get the same answer, after the same time`, {
    timeout: isWhole ? 1_200_000 : 120_000,
  }, async (t) => {
    const accounts = await Accounts.open(t, sdl(flow.isSignUp ? 'REQUIRED' : 'OPTIONAL'))
    await makeKnown(accounts, flow)
    const times: Record<string, number[]> = { [known]: [], [unknown]: [] }
    const answers: Record<string, Set<string>> = { [known]: new Set(), [unknown]: new Set() }
    for (let n = -1; n < sampleCount; n++) {
      // An hour later no limit has begun to count.
      accounts.time.now += hourMs
      for (const email of Math.random() < 0.5 ? [known, unknown] : [unknown, known]) {
        const secret = flow.code === undefined ? '' : await settled(() => secretOf(accounts, flow.code!, email))
        const { status, text } = await settled(async () => {
          for (;;) {
            const begun = process.hrtime.bigint()
            const answer = await flow.run(accounts, email, secret)
            const time = Number(process.hrtime.bigint() - begun)
            if (answer.text.includes('"UNAVAILABLE"')) continue // the machine was busy for a second
            if (n >= 0) times[email]!.push(time)
            return answer
          }
        })
        answers[email]!.add(`${status} ${shapeOf(text)}`)
      }
    }
    assert.deepEqual(answers[known], answers[unknown])
    assert.equal(answers[known]!.size, 1, [...answers[known]!].join())
    const bias = chanceOfLonger(times[known]!, times[unknown]!) - 0.5
    const medians = [known, unknown].map((email) => `${(median(times[email]!) / 1e6).toFixed(2)} ms`).join(' and ')
    t.diagnostic(`${sampleCount} samples each: bias ${bias.toFixed(3)} of ±${maxBias}, medians ${medians}`)
    assert.ok(Math.abs(bias) <= maxBias, `a known address takes longer with a chance of ${(0.5 + bias).toFixed(3)}`)
    const strange = accounts.mailbox.mails.filter(({ to }) => to !== known && !(flow.isSignUp && to === unknown))
    assert.deepEqual(strange, [], 'nobody else gets a mail')
  })
}

/** Waits the same time for both kinds of addresses. Both have a job that follows; that of an unknown address sends nothing. The next request
 *  must not share the machine with either. */
async function settled<T>(cause: () => Promise<T>): Promise<T> {
  const result = await cause()
  await pause(isWhole ? 25 : 5)
  return result
}

/** The account of the known address. */
async function makeKnown(accounts: MailedAccounts, { isSignUp, isLocked }: Flow): Promise<void> {
  const admin = await accounts.service.operator('admin')
  const { status, body, text } = isSignUp
    ? await accounts.as(admin, 'POST', '/users', { email: known, password })
    : await accounts.call('POST', '/users', { email: known, password })
  assert.equal(status, 201, text)
  if (isLocked) assert.equal((await accounts.as(admin, 'PATCH', `/users/${body.id}`, { _locked: true })).status, 200)
}

function createToken(accounts: MailedAccounts, input: object): Answer {
  return mutate(accounts, '($input: CreateTokenInput!) { createToken(input: $input) { token } }', input)
}

async function mutate(accounts: MailedAccounts, document: string, input: object): Answer {
  return { status: 200, text: JSON.stringify(await accounts.graphql(`mutation ${document}`, { input })) }
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!
}

async function secretOf(accounts: MailedAccounts, purpose: string, email: string): Promise<string> {
  return (await accounts.call('POST', '/codes', { for: purpose, email })).body.secret
}

/** Without what is random in each answer. */
function shapeOf(text: string): string {
  return text.replace(/"secret":"[\w-]{22}"/, '"secret"').replace(/"expiresAt":"[\d:.TZ-]{24}"/, '"expiresAt"')
}

/** The chance that one of the first is greater than one of the second (the statistic of Mann and Whitney). */
function chanceOfLonger(first: number[], second: number[]): number {
  const all = [...first.map((time) => ({ time, isFirst: true })), ...second.map((time) => ({ time, isFirst: false }))]
  let [passed, wins] = [0, 0]
  for (const { isFirst } of all.toSorted((a, b) => a.time - b.time)) {
    if (isFirst) wins += passed
    else passed++
  }
  return wins / (first.length * second.length)
}
