// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RequestContext, Viewer } from '#base'
import { makeKey } from './api-keys.ts'
import { type AuthFixture, openAuth } from './auth.fixture.ts'

const refused = { code: 'UNAUTHENTICATED' }

test('a ticket', async (t) => {
  const home = await openAuth(t)
  const ann = await home.signUp('ann@example.org', undefined, ['editor'])
  const { token } = await home.signIn('ann@example.org')
  const { time } = home
  const open = () => makeTicket(home, token)

  await t.test('opens one stream, as who asked for it', async () => {
    const { ticket, come } = await open()
    const { viewer } = await come(ticket)
    assert.deepEqual([viewer.account, viewer.roles], [ann, ['editor']])
    await assert.rejects(come(ticket), refused)
    await assert.rejects(come('none'), refused)
  })

  await t.test('lets one of two streams in that come at once', async () => {
    const { ticket, come } = await open()
    const both = await Promise.allSettled([come(ticket), come(ticket)])
    assert.deepEqual(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
  })

  await t.test('must be used within a minute', async () => {
    const { ticket, come } = await open()
    time.now += 60_000
    await assert.rejects(come(ticket), refused)
  })

  await t.test('is for machines too, and ends with their key', async () => {
    const { come } = await open()
    const { id, key } = await makeKey(home.credentials, { name: null, roles: ['importer'] }, time.now)
    const { ticket } = await home.tokens.makeTicket({ for: 'stream' }, () => home.viewerOf(key))
    const { viewer, again } = await come(ticket)
    assert.deepEqual([viewer.account, viewer.roles], [null, ['importer']])
    await home.credentials.revokeKey(id, time.now)
    time.now += 1000
    await assert.rejects(async () => again(), refused)
  })

  await t.test('is not for someone unknown, and every mistake of the input is told', async () => {
    const ask = (input: object) => home.tokens.makeTicket({ ...input }, () => ({ ...anyone }))
    await assert.rejects(ask({ for: 'stream' }), refused)
    for (const [input, mistakes] of [
      [{ for: 'streams' }, ['for UNKNOWN']],
      [{ for: 3, password: 'x' }, ['password UNKNOWN', 'for TYPE']],
    ] as const) {
      await assert.rejects(ask(input), (error: { problems: { path: string; code: string }[] }) => {
        assert.deepEqual(
          error.problems.map(({ path, code }) => `${path} ${code}`),
          mistakes,
        )
        return true
      })
    }
  })

  await t.test('is one on streams alone, and never beside a token', async () => {
    const { ticket } = await open()
    const headers = { accept: 'text/event-stream' }
    const query = `ticket=${ticket}`
    const wrong = { code: 'VALIDATION_FAILED' }
    const ask = (more: object) => async () => home.auth.viewerOf({ path: '/changes', query, headers, ...more })
    await assert.rejects(ask({ headers: {} }), wrong)
    await assert.rejects(ask({ headers: { ...headers, authorization: 'Bearer x' } }), wrong)
    await assert.rejects(ask({ query: `${query}&${query}` }), wrong)
    assert.equal((await ask({ path: '/seats' })()).authenticated, false)
    assert.equal((await ask({ query: `myticket=${ticket}` })()).authenticated, false)
    assert.equal((await ask({ path: '/graphql' })()).authenticated, true)
  })

  await t.test('lets the stream in again with what stands behind its last id, and nobody without', async () => {
    const { ticket, come } = await open()
    const { mark } = await come(ticket)
    time.now += 23 * 60 * 60_000
    const again = await come(ticket, `5f1c0a9e:42:0b7d31c4${mark}`)
    assert.deepEqual([again.viewer.account, again.mark], [ann, mark])
    for (const id of ['5f1c0a9e:42:0b7d31c4', '5f1c0a9e:42:0b7d31c4~', `5f1c0a9e:42:0b7d31c4${mark}x`]) {
      await assert.rejects(come(ticket, id), refused, id)
    }
    time.now += 60 * 60_000 + 1
    await assert.rejects(come(ticket, `5f1c0a9e:42:0b7d31c4${mark}`), refused)
  })

  await t.test(
    'is as good as the rights of its viewer as of now, and nothing once the signing in has ended',
    async () => {
      const { id: session, token: now } = await home.signIn('ann@example.org')
      const { ticket, come } = await makeTicket(home, now)
      const { mark, again } = await come(ticket)
      await home.setRoles(ann, ['chief'])
      time.now += 1000
      assert.deepEqual((await again()).roles, ['chief'])
      time.now += 15 * 60_000 // the token that it was asked with is over, the signing in is not
      assert.equal((await again()).account, ann)
      await home.credentials.revokeToken(session, ann, time.now)
      time.now += 1000
      await assert.rejects(async () => again(), refused)
      await assert.rejects(come(ticket, `x${mark}`), refused)
    },
  )
})

const anyone: Viewer = { account: null, roles: [], authenticated: false, token: null }

/** A new one, and how to come with it, or with another. */
async function makeTicket(home: AuthFixture, token: string) {
  const { ticket } = await home.tokens.makeTicket({ for: 'stream' }, () => home.viewerOf(token))
  const come = async (word: string, lastEventId?: string) => {
    const exchange: RequestContext = {
      id: 'r',
      responseHeaders: [],
      viewer: null,
      stages: null,
      countMore: null,
      reauthenticate: null,
      eventIdSuffix: '',
    }
    const viewer = await home.auth.viewerOf({
      path: '/changes',
      query: `resource=notes&ticket=${word}`,
      headers: {
        accept: 'text/event-stream',
        ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
      },
      context: exchange,
    })
    return { viewer, mark: exchange.eventIdSuffix, again: exchange.reauthenticate! }
  }
  return { ticket, come }
}
