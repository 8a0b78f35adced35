// EventSource of a real browser: with a ticket it receives the events of its viewer, and when the server loads another schema it
// reconnects by itself and resumes after the last event (docs/reference/rest.md, R126, R133).
// stores: sqlite

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { noBrowser, openBrowser } from '../harness/open-browser.ts'
import { TestService } from '../harness/test-service.ts'

const sdl = (more = '') => `
  type User @account @allow(to: [CREATE]) @allow(who: "self") { id: ID! email: String! @unique name: String }
  type Note @allow(who: "author") { id: ID! text: String! ${more} author: User! @auto(set: VIEWER) }
`

test('EventSource with a ticket receives every event once, across a reconnect', { skip: noBrowser }, async (t) => {
  const service = await TestService.open(t, sdl())
  const ann = await service.signUp('ann')
  const bob = await service.signUp('bob')
  const browser = await openBrowser()
  t.after(() => browser.close())
  const write = (text: string, { authorization } = ann) =>
    service.succeed('POST', '/notes', { text }, { authorization })
  const { ticket } = await service.succeed('POST', '/tokens', { for: 'stream' }, { authorization: ann.authorization })

  const page = await browser.newPage()
  await page.goto(`${service.address}/healthz`)
  await page.evaluate((address) => {
    const received: { texts: string[]; opened: number; closed: boolean } = { texts: [], opened: 0, closed: false }
    Object.assign(globalThis, { received })
    const source = new EventSource(address)
    source.onopen = () => received.opened++
    source.onmessage = ({ data }) => received.texts.push(JSON.parse(data).data.text)
    source.onerror = () => (received.closed = source.readyState === EventSource.CLOSED)
  }, `/changes?resource=notes&ticket=${ticket}`)
  const waitFor = (what: string) => page.waitForFunction(what, undefined, { timeout: 30_000 })

  await waitFor('received.opened === 1')
  await write('one')
  await write('not for ann', bob)
  await waitFor('received.texts.length === 1')
  writeFileSync(service.schemaFile, sdl('more: String'))
  assert.equal((await service.service.reload()).kind, 'swapped')
  await write('two')
  await waitFor('received.opened === 2')
  await write('three')
  await waitFor('received.texts.length >= 3')
  assert.deepEqual(await page.evaluate('received.texts'), ['one', 'two', 'three'])

  // Another window with the same address is refused, with a status after which EventSource does not retry.
  await page.evaluate((address) => {
    const other = new EventSource(address)
    other.onerror = () => Object.assign(globalThis, { refused: other.readyState === EventSource.CLOSED })
  }, `/changes?resource=notes&ticket=${ticket}`)
  await waitFor('globalThis.refused === true')
})
