// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RequestContext, Viewer } from '#base/http'
import { type AuthFixture, openAuth } from '../auth.fixture.ts'
import { makeKey } from './api-keys.ts'

const refused = { code: 'UNAUTHENTICATED' }

test('a ticket', async (t) => {
  const fixture = await openAuth(t)
  const ann = await fixture.signUp('ann@example.org', undefined, ['editor'])
  const { token } = await fixture.signIn('ann@example.org')
  const { time } = fixture
  const open = () => makeTicket(fixture, token)

  await t.test('opens one stream as the viewer who created it', async () => {
    const { ticket, openStream } = await open()
    const { viewer } = await openStream(ticket)
    assert.deepEqual([viewer.account, viewer.roles], [ann, ['editor']])
    await assert.rejects(openStream(ticket), refused)
    await assert.rejects(openStream('none'), refused)
  })

  await t.test('opens one of two concurrent streams', async () => {
    const { ticket, openStream } = await open()
    const both = await Promise.allSettled([openStream(ticket), openStream(ticket)])
    assert.deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
  })

  await t.test('must be used within a minute', async () => {
    const { ticket, openStream } = await open()
    time.now += 60_000
    await assert.rejects(openStream(ticket), refused)
  })

  await t.test('works for API keys too, and ends with the key', async () => {
    const { openStream } = await open()
    const { id, key } = await makeKey(fixture.credentials, { name: null, roles: ['importer'] }, time.now)
    const { ticket } = await fixture.tokens.makeTicket({ for: 'stream' }, () => fixture.viewerOf(key))
    const { viewer, reauthenticate } = await openStream(ticket)
    assert.deepEqual([viewer.account, viewer.roles], [null, ['importer']])
    await fixture.credentials.revokeKey(id, time.now)
    time.now += 1000
    await assert.rejects(async () => reauthenticate(), refused)
  })

  await t.test('needs a signed-in viewer, and all problems of the input are reported', async () => {
    const makeTicket = (input: object) => fixture.tokens.makeTicket({ ...input }, () => ({ ...anyone }))
    await assert.rejects(makeTicket({ for: 'stream' }), refused)
    for (const [input, mistakes] of [
      [{ for: 'streams' }, ['for UNKNOWN']],
      [{ for: 3, password: 'x' }, ['password UNKNOWN', 'for TYPE']],
    ] as const) {
      await assert.rejects(makeTicket(input), (error: { problems: { path: string; code: string }[] }) => {
        assert.deepEqual(
          error.problems.map(({ path, code }) => `${path} ${code}`),
          mistakes,
        )
        return true
      })
    }
  })

  await t.test('works on streams only, and never together with a token', async () => {
    const { ticket } = await open()
    const headers = { accept: 'text/event-stream' }
    const query = `ticket=${ticket}`
    const wrong = { code: 'VALIDATION_FAILED' }
    const authenticate = (more: object) => async () =>
      fixture.auth.viewerOf({ path: '/changes', query, headers, ...more })
    await assert.rejects(authenticate({ headers: {} }), wrong)
    await assert.rejects(authenticate({ headers: { ...headers, authorization: 'Bearer x' } }), wrong)
    await assert.rejects(authenticate({ query: `${query}&${query}` }), wrong)
    assert.equal((await authenticate({ path: '/seats' })()).authenticated, false)
    assert.equal((await authenticate({ query: `myticket=${ticket}` })()).authenticated, false)
    assert.equal((await authenticate({ path: '/graphql' })()).authenticated, true)
  })

  await t.test('lets the stream reconnect with the proof in its last event id, and not without it', async () => {
    const { ticket, openStream } = await open()
    const { suffix } = await openStream(ticket)
    time.now += 23 * 60 * 60_000
    const reconnected = await openStream(ticket, `5f1c0a9e:42:0b7d31c4${suffix}`)
    assert.deepEqual([reconnected.viewer.account, reconnected.suffix], [ann, suffix])
    for (const id of ['5f1c0a9e:42:0b7d31c4', '5f1c0a9e:42:0b7d31c4~', `5f1c0a9e:42:0b7d31c4${suffix}x`]) {
      await assert.rejects(openStream(ticket, id), refused, id)
    }
    time.now += 60 * 60_000 + 1
    await assert.rejects(openStream(ticket, `5f1c0a9e:42:0b7d31c4${suffix}`), refused)
  })

  await t.test('has the current permissions of its viewer, and ends with the session', async () => {
    const { id: session, token: now } = await fixture.signIn('ann@example.org')
    const { ticket, openStream } = await makeTicket(fixture, now)
    const { suffix, reauthenticate } = await openStream(ticket)
    await fixture.setRoles(ann, ['chief'])
    time.now += 1000
    assert.deepEqual((await reauthenticate()).roles, ['chief'])
    time.now += 15 * 60_000 // the access token has expired, the session has not
    assert.equal((await reauthenticate()).account, ann)
    await fixture.credentials.revokeToken(session, time.now)
    time.now += 1000
    await assert.rejects(async () => reauthenticate(), refused)
    await assert.rejects(openStream(ticket, `x${suffix}`), refused)
  })
})

const anyone: Viewer = { account: null, roles: [], authenticated: false, token: null }

/** A new ticket, and a function that opens a stream with it or another one. */
async function makeTicket(fixture: AuthFixture, token: string) {
  const { ticket } = await fixture.tokens.makeTicket({ for: 'stream' }, () => fixture.viewerOf(token))
  const openStream = async (word: string, lastEventId?: string) => {
    const exchange: RequestContext = {
      id: 'r',
      responseHeaders: [],
      viewer: null,
      stages: null,
      countMore: null,
      reauthenticate: null,
      eventIdSuffix: '',
      route: null,
      span: null,
      client: '',
      address: '',
      connection: null,
      passwords: 0,
    }
    const viewer = await fixture.auth.viewerOf({
      path: '/changes',
      query: `resource=notes&ticket=${word}`,
      headers: {
        accept: 'text/event-stream',
        ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
      },
      context: exchange,
    })
    return { viewer, suffix: exchange.eventIdSuffix, reauthenticate: exchange.reauthenticate! }
  }
  return { ticket, openStream }
}
