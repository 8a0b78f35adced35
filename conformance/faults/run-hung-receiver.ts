// A webhook receiver that never answers, beside one that does: how long the good one waits for its messages with and without the
// other. Both are measured in turn, so that other load affects them alike.

import assert from 'node:assert/strict'
import { dirname } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { defaultWebhookSettings } from '../../packages/twain/src/events/index.ts'
import { TestService } from '../harness/test-service.ts'
import { openReceiver, type Receiver } from '../webhooks/receiver.ts'
import { adminToken } from './run-webhook-kills.ts'

const sdl = `
type User @account { id: ID! email: String! @unique }
type Entry @allow { id: ID! number: Int! }
`

export interface HungReport {
  /** Milliseconds from the first write to the last message, medians of the rounds. */
  alone: number
  beside: number
  ratio: number
  /** How many messages the hung receiver got meanwhile: as many as are sent at once, and no more. */
  hung: number
}

export async function runHungReceiver(events: number, rounds: number): Promise<HungReport> {
  const ends: (() => unknown)[] = []
  const later: Pick<TestContext, 'after'> = { after: (end) => void ends.unshift(end as () => unknown) }
  try {
    const webhooks = { ...defaultWebhookSettings, allowPrivate: true }
    const service = await TestService.open(later, sdl, { database: null, webhooks })
    const authorization = `Bearer ${await adminToken(['--data', dirname(service.schemaFile)])}`
    const [good, hung] = [await openReceiver(later), await openReceiver(later, () => {})]
    const listen = { events: ['entry.*'] }
    await service.succeed('POST', '/webhooks', { ...listen, url: good.url }, { authorization })
    const made = await service.succeed(
      'POST',
      '/webhooks',
      { ...listen, url: hung.url, active: false },
      { authorization },
    )
    const turn = (active: boolean) => service.succeed('PATCH', `/webhooks/${made.id}`, { active }, { authorization })

    await timed(service, good, events) // warm-up
    const times = { alone: [] as number[], beside: [] as number[] }
    for (let round = 0; round < rounds; round++) {
      times.alone.push(await timed(service, good, events))
      await turn(true)
      const before = hung.got.length
      await timed(service, good, 1)
      while (hung.got.length === before) await pause(10) // from here on it hangs
      times.beside.push(await timed(service, good, events))
      await turn(false)
    }
    const [alone, beside] = [median(times.alone), median(times.beside)]
    return { alone, beside, ratio: beside / alone, hung: hung.got.length }
  } finally {
    for (const end of ends) await end()
  }
}

async function timed(service: TestService, good: Receiver, events: number): Promise<number> {
  const began = performance.now()
  const numbers = Array.from({ length: events }, (_, number) => number)
  const made = new Set<string>()
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let number = numbers.pop(); number !== undefined; number = numbers.pop()) {
        made.add((await service.succeed('POST', '/entries', { number })).id)
      }
    }),
  )
  const missing = () => {
    const got = new Set(good.got.map(({ event }) => event.subject))
    return [...made].filter((id) => !got.has(id)).length
  }
  for (let waited = 0; missing() > 0 && waited < 120_000; waited += 10) await pause(10)
  assert.equal(missing(), 0, 'the good one got everything')
  return performance.now() - began
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!
}
