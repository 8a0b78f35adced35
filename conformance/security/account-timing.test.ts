// Nothing that a stranger can see tells whether an address has an account: not the status, the body, or the time of any flow. `npm test`
// takes 12 samples of each kind, which finds a check that is left out; `npm run samples` takes 2,000.
// stores: sqlite
// all samples: sqlite

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { MailedAccounts, password } from '../harness/mailed-accounts.ts'

const sdl = 'type User @account @allow(to: [CREATE]) @allow(who: "self") { id: ID! email: String! @unique }'
const isWhole = process.env.TWAIN_SAMPLES === 'all'
const sampleCount = isWhole ? 2000 : 12
/** How far the chance that a known address takes longer may be from one half: seven standard deviations of 2,000 samples; nearly every
 *  one of 12. */
const maxBias = isWhole ? 0.06 : 0.47

const hourMs = 3_600_001
const known = 'ann@example.org'
const unknown = 'bob@example.org'

type Flow = (accounts: MailedAccounts, email: string, secret: string) => Promise<{ status: number; text: string }>

const flows: Record<string, Flow> = {
  'a wrong password': (accounts, email) => accounts.signIn(email, `not ${password}`),
  'a wrong password in GraphQL': async (accounts, email) => {
    const document = 'mutation ($input: CreateTokenInput!) { createToken(input: $input) { token } }'
    const body = await accounts.graphql(document, { input: { email, password: `not ${password}` } })
    return { status: 200, text: JSON.stringify(body) }
  },
  'a code to reset the password': (accounts, email) => accounts.call('POST', '/codes', { for: 'RESET', email }),
  'a code to sign in': (accounts, email) => accounts.call('POST', '/codes', { for: 'SIGN_IN', email }),
  'a code to verify': (accounts, email) => accounts.call('POST', '/codes', { for: 'VERIFY', email }),
  'a wrong code to sign in': (accounts, email, secret) =>
    accounts.call('POST', '/tokens', { email, code: '00000000', secret }),
  'a wrong code to verify': (accounts, email, secret) =>
    accounts.call('POST', '/verifications', { email, code: '00000000', secret }),
}

for (const [name, flow] of Object.entries(flows)) {
  test(`${name}: an address with an account and one without get the same answer, after the same time`, {
    timeout: isWhole ? 1_200_000 : 120_000,
  }, async (t) => {
    const accounts = await MailedAccounts.open(t, sdl)
    await accounts.signUp(known)
    const times: Record<string, number[]> = { [known]: [], [unknown]: [] }
    const answers: Record<string, Set<string>> = { [known]: new Set(), [unknown]: new Set() }
    for (let n = -1; n < sampleCount; n++) {
      // An hour later no limit has begun to count.
      accounts.time.now += hourMs
      const purpose = name.includes('verify') ? 'VERIFY' : 'SIGN_IN'
      for (const email of Math.random() < 0.5 ? [known, unknown] : [unknown, known]) {
        const secret = name.startsWith('a wrong code') ? await secretOf(accounts, purpose, email) : ''
        await pause(5) // the mail is made
        const begun = process.hrtime.bigint()
        const { status, text } = await flow(accounts, email, secret)
        if (n >= 0) times[email]!.push(Number(process.hrtime.bigint() - begun))
        answers[email]!.add(`${status} ${shapeOf(text)}`)
      }
    }
    assert.deepEqual(answers[known], answers[unknown])
    assert.equal(answers[known]!.size, 1)
    const bias = chanceOfLonger(times[known]!, times[unknown]!) - 0.5
    t.diagnostic(`${sampleCount} samples each: bias ${bias.toFixed(3)} of ±${maxBias}`)
    assert.ok(Math.abs(bias) <= maxBias, `a known address takes longer with a chance of ${(0.5 + bias).toFixed(3)}`)
    const mails = accounts.mailbox.mails.filter(({ to }) => to !== known)
    assert.deepEqual(mails, [], 'nobody else gets a mail')
  })
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
