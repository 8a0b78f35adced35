// The pages of the console about webhooks and background jobs: states, attempts and answers; send again, run again, cancel.
// stores: sqlite
// all samples: postgres

import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { defaultWebhookSettings } from '../../packages/twain/src/events/index.ts'
import { noBrowser } from '../harness/open-browser.ts'
import { openReceiver, type Receiver } from '../webhooks/receiver.ts'
import { ConsoleStories, expectAccessible } from './open-console.ts'

const sdl = `
  extend schema @service(name: "Queue")
  type User @account @allow(to: [READ, CREATE]) { id: ID! email: String! @unique name: String! @label }
  type Note @allow(to: [READ]) @allow(role: "admin") { id: ID! title: String! }
  type Mutation { enqueue(name: String!, at: String): String @allow(role: "admin") }
`
const code = `
let runs = 0
export default {
  resolvers: { Mutation: { enqueue: ({ name, at }, { enqueue }) => enqueue(name, { for: name }, at ? { at } : {}) } },
  jobs: {
    break: { retries: 0, run() { runs += 1; if (runs === 1) throw new Error('no <b>paper</b>') } },
    later: { run() {} },
  },
}`
const script = '<img src=x onerror="document.title=`stolen`">'

describe('webhooks and jobs', { skip: noBrowser, timeout: 300_000 }, () => {
  let stories: ConsoleStories
  let receiver: Receiver
  const endings: (() => Promise<void>)[] = []
  before(async () => {
    receiver = await openReceiver({ after: (end) => void endings.push(end as () => Promise<void>) })
    const webhooks = { ...defaultWebhookSettings, allowPrivate: true, retryWindowSeconds: 0 }
    stories = await ConsoleStories.open(sdl, { code, webhooks })
    await stories.service.signUp('ann')
  })
  afterEach(() => stories.closePages())
  after(async () => {
    await stories?.close()
    for (const end of endings) await end()
  })

  test('an administrator sees why a delivery failed, and sends it again', async () => {
    const { service, admin } = stories
    receiver.answer = (_got, response) => void response.writeHead(500).end(`sorry ${script}`)
    const { id: hookId } = await service.succeed(
      'POST',
      '/webhooks',
      { url: receiver.url, events: ['note.created'] },
      admin,
    )
    await service.succeed('POST', '/notes', { title: `First ${script}` }, admin)
    await receiver.has(1)
    const page = await stories.asDeveloper('/notes')
    await page.getByRole('navigation').getByRole('link', { name: 'Webhooks' }).click()
    const hook = page.getByRole('listitem').filter({ hasText: receiver.url })
    await hook.locator('summary').first().click()
    const delivery = hook.getByRole('listitem').filter({ hasText: 'note.created' }).first()
    const reload = hook.getByRole('button', { name: 'Reload' })
    await delivery.waitFor()
    while ((await delivery.locator('summary').innerText()).includes('pending')) await reload.click()
    await delivery.locator('summary').click()
    await delivery.getByText('answer 500').waitFor()
    assert.equal(await delivery.locator('li pre').innerText(), `sorry ${script}`)
    assert.equal(await page.locator('main img').count(), 0)
    await delivery.getByRole('button', { name: 'Show the message' }).click()
    const message = delivery.getByRole('region', { name: 'The message' })
    await message.locator('pre').nth(1).waitFor() // it is asked for after the click
    const [head, body] = await message.locator('pre').allInnerTexts()
    assert.deepEqual(JSON.parse(body!), receiver.got[0]!.event)
    const id = receiver.got[0]!.headers['webhook-id']
    assert.match(head!, new RegExp(`^POST ${receiver.url}\n(.+\n)+webhook-id: ${id}\n`))
    assert.match(head!, /webhook-signature: \(made for each attempt\)$/)
    await expectAccessible(page, 'webhooks')
    receiver.answer = (_got, response) => void response.writeHead(204).end()
    await page.reload() // the server has paused it meanwhile
    await hook.getByRole('button', { name: 'Continue' }).click()
    await hook.getByRole('button', { name: 'Pause' }).waitFor()
    await hook.locator('summary').first().click()
    await delivery.getByRole('button', { name: 'Send again' }).click()
    await receiver.has(2)
    const [first, second] = receiver.got.map(({ headers }) => headers['webhook-id'])
    assert.equal(first, second)
    await hook.getByRole('button', { name: 'Pause' }).click()
    await hook.getByText('paused').waitFor()
    assert.equal((await stories.row(`/webhooks/${hookId}`)).active, false)
  })

  test('an administrator makes a webhook by a form, and sees its secret once', async () => {
    const page = await stories.asDeveloper('/+webhooks')
    await page.getByRole('link', { name: 'New Webhook' }).click()
    await page.getByRole('textbox', { name: 'Url' }).fill(`${receiver.url}/made`)
    const events = page.getByRole('textbox', { name: 'Events' })
    await events.fill('note.updated')
    await page.getByText('Write the list as JSON: ["one", "two"].').waitFor()
    await events.fill('["note.updated"]')
    const saved = page.waitForResponse((reply) => reply.request().method() === 'POST' && reply.status() === 201)
    await page.getByRole('button', { name: 'Save' }).click()
    const { id, secret } = (await (await saved).json()) as { id: string; secret: string }
    const shown = page.getByRole('complementary').getByText('Copy the secret now.').locator('code')
    assert.equal(await shown.innerText(), secret)
    assert.match(secret, /^whsec_/)
    assert.deepEqual((await stories.row(`/webhooks/${id}`)).events, ['note.updated'])
    await page.reload()
    await page.getByText('Version 1').waitFor()
    assert.equal(await shown.count(), 0)
    await stories.service.succeed('DELETE', `/webhooks/${id}`, undefined, stories.admin)
  })

  test('an administrator sees why a job failed, runs it again, and cancels one that waits', async () => {
    const { service, admin } = stories
    const enqueue = async (name: string, at: string | null) => {
      const query = 'mutation ($name: String!, $at: String) { enqueue(name: $name, at: $at) }'
      return (await service.succeed('POST', '/graphql', { query, variables: { name, at } }, admin)).data
        .enqueue as string
    }
    const broken = await enqueue('break', null)
    const waiting = await enqueue('later', '2099-01-01T00:00:00Z')
    const page = await stories.asDeveloper('/+jobs')
    const region = page.getByRole('region', { name: 'Jobs' })
    const reload = region.getByRole('button', { name: 'Reload' })
    const job = (name: string) => region.getByRole('listitem').filter({ hasText: name }).first()
    await job('break').waitFor()
    while (!(await job('break').locator('summary').innerText()).includes('FAILED')) await reload.click()
    await job('break').locator('summary').click()
    await job('break').getByText('no <b>paper</b>').waitFor()
    assert.match(await job('later').locator('summary').innerText(), /next .*2099/)
    await job('break').getByRole('button', { name: 'Run again' }).click()
    await job('later').getByRole('button', { name: 'Cancel' }).click()
    await job('later').getByText('CANCELLED').waitFor()
    assert.equal((await stories.row(`/background-jobs/${waiting}`)).state, 'CANCELLED')
    while ((await stories.row(`/background-jobs/${broken}`)).state !== 'DONE') await reload.click()
    await region.getByRole('combobox', { name: 'State' }).selectOption('DONE')
    await job('later').waitFor({ state: 'detached' })
    await job('break').waitFor()
    await expectAccessible(page, 'jobs')
  })

  test('somebody without rights sees neither the pages nor what they show', async () => {
    const page = await stories.asAccount('ann', '/+events')
    await page.getByText('Listening').waitFor()
    for (const name of ['Webhooks', 'Jobs']) assert.equal(await page.getByRole('link', { name }).count(), 0)
    for (const path of ['/+webhooks', '/+jobs']) {
      await page.goto(`${stories.service.address}/console${path}`)
      await page.getByText('There is no such page.').waitFor()
    }
  })

  test('nothing came from another host, violated the policy or threw', () => {
    assert.deepEqual(stories.violations, [])
  })
})
