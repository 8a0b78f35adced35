// Tickets, for event streams of clients that cannot send headers (docs/reference/rest.md, R132–R134).
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readEvents, TestService } from '../harness/test-service.ts'

const sdl = `
  type User @account @allow(to: [CREATE]) @allow(who: "self") { id: ID! email: String! @unique name: String }
  type Note @allow(who: "author") { id: ID! text: String! author: User! @auto(set: VIEWER) }
`
const stream = { accept: 'text/event-stream' }

test('R132, R133, R134: a ticket opens one stream and its reconnects, through both APIs', async (t) => {
  const service = await TestService.open(t, sdl)
  const { authorization, session } = await service.signUp('ann')
  const write = (text: string) => service.succeed('POST', '/notes', { text }, { authorization })
  const open = (path: string, headers: Record<string, string> = {}) =>
    fetch(service.address + path, { headers: { ...stream, ...headers } })

  const { ticket, expiresAt } = await service.succeed('POST', '/tokens', { for: 'stream' }, { authorization })
  assert.match(expiresAt, /Z$/)
  const subscription = encodeURIComponent('subscription { noteCreated { text } }')
  const made = await service.succeed(
    'POST',
    '/graphql',
    { query: 'mutation { createToken(input: {for: "stream"}) { ticket } }' },
    { authorization },
  )
  const paths = [
    `/changes?resource=notes&ticket=${ticket}`,
    `/graphql?query=${subscription}&ticket=${made.data.createToken.ticket}`,
  ]
  for (const [n, path] of paths.entries()) {
    const events = readEvents(await open(path))
    const { id: begun } = (await events.next()).value!
    await write(`first ${n}`)
    const { id, data } = (await events.next()).value!
    assert.match(data!, new RegExp(`first ${n}`))
    await events.return(undefined)

    const refused = await open(path)
    assert.deepEqual([refused.status, await code(refused)], [401, 'UNAUTHENTICATED'], 'it was used')
    const guessed = await open(path, { 'last-event-id': id!.replace(/~.*/, '') })
    assert.equal(guessed.status, 401, 'the cursor alone is no proof')
    await write(`second ${n}`)
    const resumed = readEvents(await open(path, { 'last-event-id': id! }))
    await resumed.next()
    assert.match((await resumed.next()).value!.data!, new RegExp(`second ${n}`))
    await resumed.return(undefined)
    // The last event id of a page is a valid cursor everywhere else too.
    const page = await service.succeed('GET', `/changes?resource=notes&after=${begun}`, undefined, { authorization })
    assert.deepEqual(
      page.edges.map(({ node }: { node: { data: { text: string } } }) => node.data.text),
      [`first ${n}`, `second ${n}`],
    )
  }

  assert.equal((await service.send('GET', `/changes?ticket=${ticket}`)).status, 400, 'a page is no stream')
  assert.equal((await service.send('GET', `/graphql?query={__typename}&ticket=${ticket}`)).status, 400)
  assert.equal((await service.send('POST', '/tokens', { for: 'stream' })).status, 401)
  assert.equal((await service.send('POST', '/tokens', { for: 'ever' }, { authorization })).body.errors[0].path, 'for')

  const other = await service.succeed('POST', '/tokens', { for: 'stream' }, { authorization })
  const last = readEvents(await open(`/changes?ticket=${other.ticket}`))
  await last.next()
  await service.succeed('DELETE', `/tokens/${session}`, undefined, { authorization })
  let farewell: { event?: string; data?: string } = {}
  for await (const event of last) farewell = event
  assert.equal(farewell.event, 'end')
  assert.equal(JSON.parse(farewell.data!).code, 'UNAUTHENTICATED')
})

async function code(reply: Response): Promise<unknown> {
  const body = (await reply.json()) as { code?: string; errors?: { extensions?: { code: string } }[] }
  return body.code ?? body.errors?.[0]?.extensions?.code
}
