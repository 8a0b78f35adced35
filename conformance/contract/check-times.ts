// Checks what depends on time: how long tokens, sessions and cursors last, and what a slow client or a slow request gets. The orchestra
// runs once more, with a clock that the checks set forward, or with short times.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { defaultEventSettings } from '../../packages/twain/src/events/index.ts'
import { until } from '../harness/until.ts'
import type { Reply } from './clients.ts'
import type { ContractService } from './contract-service.ts'
import { type FurtherServers, overQuota } from './further-servers.ts'
import { durationIn, sentenceOf } from './printed-contract.ts'

const second = 1000
const credentials = { email: 'tom@example.org', password: 'fair winds' }

/** A token ends after the printed time, and a session that is not renewed within the printed time ends, too. */
export async function checkTokenTimes({ contract, further }: ContractService): Promise<void> {
  if (further === undefined) return
  const text = sentenceOf(contract, 'Tokens are JWTs')
  const [valid, renewable] = [durationIn(text, 'valid for'), durationIn(text, 'renews it for')]
  const { send, signUp, clock } = await further.withStoppedClock()
  await signUp('tom')
  const signedIn = await send('POST', '/tokens', { body: credentials })
  const renew = (refreshToken: string) => send('POST', '/tokens', { body: { refreshToken } })
  const use = (token: string) => send('GET', '/tokens', { headers: { authorization: `Bearer ${token}` } })

  clock.pass(valid - second)
  assert.equal((await use(signedIn.body.token)).status, 200)
  clock.pass(second)
  const ended = await use(signedIn.body.token)
  assert.deepEqual([ended.status, ended.body.code], [401, 'UNAUTHENTICATED'])

  clock.pass(renewable - valid - second)
  const renewed = await renew(signedIn.body.refreshToken)
  assert.deepEqual([renewed.status, (await use(renewed.body.token)).status], [201, 200], renewed.text)
  clock.pass(renewable - second)
  const again = await renew(renewed.body.refreshToken)
  assert.equal(again.status, 201, again.text)
  clock.pass(renewable)
  assert.equal((await renew(again.body.refreshToken)).status, 401)
}

/** For five minutes after they signed in, viewers change their password without the current one. */
export async function checkReauthentication({ further }: ContractService): Promise<void> {
  if (further === undefined) return
  const { send, createAccount, clock } = await further.withStoppedClock()
  const row = await createAccount('ute')
  const change = (body: object) => send('PATCH', row, { viewer: 'ute', body })
  clock.pass(5 * 60 * second - second)
  assert.equal((await change({ password: 'fairer winds' })).status, 200)
  clock.pass(2 * second)
  const refused = await change({ password: 'foul winds' })
  assert.deepEqual([refused.status, refused.body.code], [403, 'REAUTHENTICATION_REQUIRED'])
  assert.equal((await change({ password: 'foul winds', currentPassword: 'fairer winds' })).status, 200)
}

export async function checkRetention({ further }: ContractService): Promise<void> {
  if (further === undefined) return
  const { send } = await further.open({ events: { ...defaultEventSettings, retentionSeconds: 0.05 } })
  const { body } = await send('GET', '/changes?after=now')
  const path = `/changes?after=${encodeURIComponent(body.pageInfo.endCursor)}`
  assert.equal((await send('GET', path)).status, 200)
  assert.equal((await send('PUT', '/scores/octet', { viewer: 'operator', body: { title: 'Octet' } })).status, 201)
  const gone = await until(
    () => send('GET', path),
    ({ status }) => status === 410,
  )
  assert.deepEqual([gone.status, gone.body.code], [410, 'GONE'])
}

/** The answer to a request that takes longer than the time limit. */
export async function answerToSlowRequest(further: FurtherServers): Promise<Reply> {
  const { send } = await further.limited()
  return send('GET', '/longest?unit=endless', { viewer: 'operator' })
}

/** The answer to a client whose body does not arrive. */
export async function answerToSlowBody(further: FurtherServers): Promise<Reply> {
  const { address } = await further.limited()
  const headers = { 'content-type': 'application/json', 'content-length': 100 }
  const sent = request(`${address}/tokens`, { method: 'POST', headers })
  sent.on('error', () => {}) // the server ends the connection
  sent.write('{')
  const [response] = await once(sent, 'response')
  const text = Buffer.concat(await response.toArray()).toString()
  sent.destroy()
  return { status: response.statusCode, headers: new Headers(response.headers), text, body: JSON.parse(text) }
}

/** The answers to a client that goes over its quota; the last is refused. */
export async function answersToQuota(further: FurtherServers): Promise<Reply[]> {
  const { send } = await further.limited()
  const replies: Reply[] = []
  for (let count = 0; count < overQuota; count++) replies.push(await send('GET', '/scores'))
  return replies
}
