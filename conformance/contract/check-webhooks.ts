// Checks the sentence about webhooks: who may have them, how they are signed and retried, and that a delivery can be sent again.

import assert from 'node:assert/strict'
import { Webhook } from 'standardwebhooks'
import { defaultWebhookSettings } from '../../packages/twain/src/events/index.ts'
import { until } from '../harness/until.ts'
import { openReceiver } from '../webhooks/receiver.ts'
import type { ContractService } from './contract-service.ts'
import { durationIn, sentenceOf } from './printed-contract.ts'

export async function checkWebhookRole({ send }: ContractService): Promise<void> {
  const statuses = async (viewer: string) => (await send('GET', '/webhooks', { viewer })).status
  assert.deepEqual([await statuses('anonymous'), await statuses('ann'), await statuses('operator')], [401, 403, 200])
}

interface Delivery {
  id: string
  state: string
  attempts: { at: string; status: number }[]
}

const firstRetrySeconds = 0.05
const operator = { viewer: 'operator' }

export async function checkDeliveries({ contract, further, t }: ContractService): Promise<void> {
  if (further === undefined) return
  let ahead = 0
  const webhooks = { ...defaultWebhookSettings, allowPrivate: true, firstRetrySeconds }
  const { send } = await further.open({ webhooks, clock: () => Date.now() + ahead })
  const receiver = await openReceiver(t, (_, response, nth) => void response.writeHead(nth < 4 ? 500 : 204).end())
  const made = await send('POST', '/webhooks', { ...operator, body: { url: receiver.url, events: ['score.*'] } })
  assert.equal(made.status, 201, made.text)
  const path = `/webhooks/${made.body.id}/deliveries`
  const newest = async () => (await send('GET', path, operator)).body[0] as Delivery | undefined
  const newestIn = (state: string) => until(newest, (delivery) => delivery?.state === state)

  await send('PUT', '/scores/octet', { ...operator, body: { title: 'Octet' } })
  const delivered = await newestIn('delivered')
  for (const { body, headers } of receiver.got) new Webhook(made.body.secret).verify(body, headers)
  assert.deepEqual(
    delivered?.attempts.map(({ status }) => status),
    [500, 500, 500, 204],
  )
  assertBackoff(delivered!)

  const again = await send('POST', path, { ...operator, body: { delivery: delivered!.id } })
  assert.equal(again.status, 202, again.text)
  const got = await receiver.has(5)
  assert.deepEqual(new Set(got.map(({ headers }) => headers['webhook-id'])), new Set([delivered!.id]))

  receiver.answer = (_, response) => void response.writeHead(500).end()
  await send('PUT', '/scores/solo', { ...operator, body: { title: 'Solo' } })
  await until(newest, (delivery) => delivery?.id !== delivered!.id && delivery!.attempts.length > 0)
  ahead += durationIn(sentenceOf(contract, 'Webhooks: '), 'exponential backoff for')
  const failed = await newestIn('failed')
  assert.equal(failed?.state, 'failed')
}

/** Each pause is twice as long as the one before, with a jitter of a quarter. */
function assertBackoff({ attempts }: Delivery): void {
  const times = attempts.map(({ at }) => Date.parse(at))
  for (const [index, time] of times.slice(1).entries()) {
    const pause = time - times[index]!
    const least = 0.75 * 1000 * firstRetrySeconds * 2 ** index
    assert.ok(pause >= Math.floor(least), `${pause} ms before the retry ${index + 1}`)
  }
}
