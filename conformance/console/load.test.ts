// The page of the console about the load of a node: charts, routes, operations, caches, slow statements, and the tail of the log.
// stores: sqlite
// all samples: postgres

import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { LogHistory, SlowStatements } from '../../packages/twain/src/base/index.ts'
import { Metrics } from '../../packages/twain/src/http/index.ts'
import { silent } from '../../packages/twain/src/store/store.fixture.ts'
import { noBrowser } from '../harness/open-browser.ts'
import { ConsoleStories, expectAccessible } from './open-console.ts'

const sdl = `
  extend schema @service(name: "Watch")
  type User @account @allow(to: [READ, CREATE]) { id: ID! email: String! @unique name: String! @label }
  type Note @allow(to: [READ]) @allow(role: "admin") { id: ID! title: String! }
`
const script = '<img src=x onerror="document.title=`stolen`">'

/** Without the statements of the server itself, which may be slower than those of the test. */
class SlowNotes extends SlowStatements {
  override record(statement: Parameters<SlowStatements['record']>[0], milliseconds: number): void {
    if (statement.shape.startsWith('Note')) super.record(statement, milliseconds)
  }
}

describe('load', { skip: noBrowser, timeout: 300_000 }, () => {
  const history = new LogHistory(() => '')
  const log = history.keeping(silent)
  let stories: ConsoleStories
  before(async () => {
    const metrics = new Metrics()
    stories = await ConsoleStories.open(sdl, {
      log,
      metrics: { of: metrics, to: 'local' },
      monitored: { load: metrics.load, log: history },
      countOperation: (...counted) => metrics.operation(...counted),
      slowStatements: new SlowNotes(),
      slowQueryMs: 0.0001,
      listening: { metrics },
    })
    await stories.service.signUp('ann')
  })
  afterEach(() => stories.closePages())
  after(() => stories?.close())

  test('a developer sees which routes and operations are busy, and draws one of them', async () => {
    const { service, admin } = stories
    for (const title of ['First', 'Second']) await service.succeed('POST', '/notes', { title }, admin)
    await service.send('GET', '/notes/none')
    await service.succeed('POST', '/graphql', { query: '{ notes { title } }' })
    const page = await stories.asDeveloper('/notes')
    await page.getByRole('link', { name: 'Load and log' }).click()
    const routes = page.getByRole('region', { name: 'Routes' })
    const row = routes.getByRole('row').filter({ hasText: 'POST /notes' })
    const cells = (await row.first().innerText()).split('\t').map((text) => text.trim())
    assert.deepEqual(cells.slice(0, 4), ['POST /notes', '2', '0', '0'])
    assert.match(cells[4]!, /ms$/)
    await routes.getByRole('row').filter({ hasText: 'GET /notes/{id}' }).first().waitFor()
    const operation = page
      .getByRole('region', { name: 'GraphQL operations' })
      .getByRole('button', { name: 'query notes' })
    await operation.click()
    const chart = page.getByRole('img', { name: 'query notes: 1 requests, 0 errors' })
    await chart.nth(1).waitFor()
    // A rate needs the end of an interval of time.
    await chart.first().locator('path[d^="M"]').first().waitFor({ state: 'attached' })
    assert.equal(await operation.getAttribute('aria-pressed'), 'true')
    await page.getByRole('button', { name: 'All requests' }).click()
    await page.getByRole('region', { name: 'Caches' }).getByRole('row').filter({ hasText: 'rest_plans' }).waitFor()
    await expectAccessible(page, 'load')
  })

  test('all nodes are listed, and those that answer in turn are shown apart', async () => {
    const page = await stories.asDeveloper('/notes')
    let answers = 0
    await page.route('**/metrics/load?*', async (route) => {
      const response = await route.fetch()
      const load = { ...(await response.json()), node: `node-${++answers % 2}` }
      await route.fulfill({ response, json: answers % 2 === 0 ? { ...load, routes: [] } : load })
    })
    await page.route('**/metrics/nodes', async (route) => {
      const response = await route.fetch()
      const [own] = await response.json()
      const json = ['node-0', 'node-1', 'node-2'].map((node, index) => ({ ...own, node, requests: 40 + index }))
      await route.fulfill({ response, json })
    })
    let lists = 0
    await page.route('**/metrics/slow-queries', async (route) => {
      const node = `node-${++lists % 2}`
      const json = [
        {
          node,
          shape: `slow on ${node}`,
          sql: 'SELECT 1',
          count: 1,
          maxMs: 9,
          lastAt: '2026-01-01',
          plan: null,
          hint: null,
        },
      ]
      await route.fulfill({ json })
    })
    const cursors: (string | null)[] = []
    await page.route('**/metrics/log?*', async (route) => {
      const number = cursors.push(new URL(route.request().url()).searchParams.get('after'))
      if (number > 2) return // it waits for more
      const node = `node-${number % 2}`
      const entries = [{ time: '2026-01-01T00:00:00Z', level: 'info', message: `told by ${node}`, fields: {} }]
      await route.fulfill({
        json: { node, entries, endCursor: `cursor-${number}`, missed: number === 2, hasMore: false },
      })
    })
    await page.getByRole('link', { name: 'Load and log' }).click()
    await page.getByText('Node node-1, running since').waitFor()
    const nodes = page.getByRole('region', { name: 'Nodes' })
    const silentNode = nodes.getByRole('row').filter({ hasText: 'node-2' })
    assert.match(await silentNode.innerText(), /42\t0\t.*none yet/)
    assert.equal(await silentNode.getByRole('button').isDisabled(), true)
    const log = page.getByRole('region', { name: 'Log', exact: true })
    await log.getByText('told by node-1').waitFor()
    await page.getByRole('region', { name: 'Slow queries' }).getByText('slow on node-1').waitFor()
    await nodes.getByRole('button', { name: 'node-0' }).click() // after the next poll
    await page.getByText('Node node-0, running since').waitFor()
    assert.equal(await page.getByRole('region', { name: 'Routes' }).getByRole('row').count(), 0)
    await log.getByText('told by node-0').waitFor()
    await page.getByRole('region', { name: 'Slow queries' }).getByText('slow on node-0').waitFor()
    assert.equal(await page.getByText(/(told by|slow on) node-1/).count(), 0)
    assert.deepEqual(cursors, [null, 'cursor-1', 'cursor-1,cursor-2'])
    await nodes.getByRole('button', { name: 'node-1' }).click()
    await page.getByRole('region', { name: 'Routes' }).getByRole('row').first().waitFor()
    await expectAccessible(page, 'several nodes')
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })

  test('a developer sees why a statement is slow', async () => {
    await stories.service.succeed('GET', '/notes?title=First&fields=title')
    const page = await stories.asDeveloper('/+load')
    const entry = page
      .getByRole('region', { name: 'Slow queries' })
      .getByRole('listitem')
      .filter({ hasText: 'Note list: title where title eq' })
      .first()
    await entry.locator('summary').click()
    await entry.getByText('@index on Note.title').waitFor()
    await entry
      .getByText(/SCAN|Scan/)
      .first()
      .waitFor()
  })

  test('the tail of the log follows, filters, and treats entries as text', async () => {
    const page = await stories.asDeveloper('/+load')
    const tail = page.getByRole('region', { name: 'Log', exact: true })
    await tail.waitFor()
    log.error({ 'user_agent.original': script }, `failed ${script}`)
    const entry = tail.getByRole('listitem').filter({ hasText: 'failed' })
    await entry.locator('summary').click()
    assert.ok((await entry.innerText()).includes(script))
    assert.equal(await tail.locator('img').count(), 0)
    await tail.getByRole('combobox', { name: 'Level' }).selectOption('error')
    log.info({}, 'only news')
    log.error({}, 'again broken')
    await tail.getByRole('listitem').filter({ hasText: 'again broken' }).waitFor()
    assert.equal(await tail.getByText('only news').count(), 0)
    await tail.getByRole('searchbox', { name: 'Words' }).fill('AGAIN')
    await tail.getByRole('searchbox', { name: 'Words' }).press('Enter')
    await tail.getByRole('listitem').filter({ hasText: 'failed' }).waitFor({ state: 'detached' })
    await tail.getByRole('listitem').filter({ hasText: 'again broken' }).waitFor()
    assert.notEqual(await page.title(), 'stolen')
  })

  test('a hidden page asks for nothing, and goes on where it stopped', async () => {
    const page = await stories.asDeveloper('/+load')
    const tail = page.getByRole('region', { name: 'Log', exact: true })
    log.warn({}, 'while shown')
    await tail.getByRole('listitem').filter({ hasText: 'while shown' }).waitFor()
    const show = (isHidden: boolean) =>
      page.evaluate(`
        Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true })
        document.dispatchEvent(new Event('visibilitychange'))
      `)
    const stopped = page.waitForEvent('requestfailed', (request) => request.url().includes('/metrics/log'))
    await show(true)
    await stopped
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    log.warn({}, 'while hidden')
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 500)))
    assert.deepEqual(asked, [])
    await show(false)
    await tail.getByRole('listitem').filter({ hasText: 'while hidden' }).waitFor()
    assert.equal(await tail.getByRole('listitem').filter({ hasText: 'while shown' }).count(), 1)
  })

  test('on a narrow screen nothing is wider than the page', async () => {
    const page = await stories.asDeveloper('/+load')
    await page.setViewportSize({ width: 360, height: 700 })
    await page.getByRole('region', { name: 'Log', exact: true }).waitFor()
    const section = "document.querySelector('.operations')"
    const overflow = await page.evaluate(`${section}.scrollWidth - ${section}.clientWidth`)
    assert.equal(overflow, 0)
  })

  test('somebody without the role sees neither the link nor a name or a count', async () => {
    const page = await stories.asAccount('ann', '/+load')
    const region = page.getByRole('region', { name: 'Load and log' })
    await region.getByRole('alert').waitFor()
    assert.match(
      await region.innerText(),
      /^Load and log\s+The nodes, the load, the statements and the log need the role admin\.$/,
    )
    assert.equal(await page.getByRole('link', { name: 'Load and log' }).count(), 0)
    assert.equal(await page.getByRole('link', { name: 'Events' }).count(), 1)
  })

  test('nothing came from another host, violated the policy or threw', () => {
    assert.deepEqual(stories.violations, [])
  })
})
