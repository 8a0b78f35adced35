import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadModel } from '#model'
import type { PlanResult } from '#plan'
import { fakeRestWith } from '../blog.fixture.ts'
import { CacheHeaders, cursorLink, offsetLinks } from './response-headers.ts'

const one: PlanResult = { kind: 'one', text: '{}', version: 1 }
const many: PlanResult = { kind: 'many', text: '[]', more: false, total: null }

test('R60: without rules a response is the same for all; with rules it is private and varies by viewer', async () => {
  const headers = async (sdl: string) => {
    const { send } = fakeRestWith({ model: loadModel(sdl, 'x.graphql'), answers: [one, many] })
    const replies = [await send('/notes/1'), await send('/notes')]
    return replies.map((reply) => [reply.headers['cache-control'], reply.headers.vary])
  }
  const ruled = [
    ['private, no-cache', 'accept, authorization'],
    ['private, no-cache', 'accept, authorization, prefer'],
  ]

  assert.deepEqual(await headers('type Note { id: ID! }'), [
    ['no-cache', 'accept'],
    ['no-cache', 'accept, prefer'],
  ])
  assert.deepEqual(await headers('type Note @allow(to: [READ]) { id: ID! }'), ruled)
  assert.deepEqual(await headers('type Note { id: ID! } type User @account { id: ID! email: String! @unique }'), ruled)
})

test('R65: the lowest max-age of a response counts, and it is public only if every viewer sees the same', async () => {
  const control = async (sdl: string, target: string) => {
    const { send } = fakeRestWith({ model: loadModel(sdl, 'x.graphql'), answers: [target.includes('/1') ? one : many] })
    return (await send(target)).headers['cache-control']
  }
  const open = `
    type Note @cacheControl(maxAge: 60) {
      id: ID! hits: Int @cacheControl(maxAge: 5) own: Int @cacheControl(scope: PRIVATE) by: User pens: [Pen!]! last: Pen @cacheControl(maxAge: 9)
    }
    type User { id: ID! name: String }
    type Pen @cacheControl(maxAge: 30) { id: ID! note: Note }`
  assert.equal(await control(open, '/notes/1?fields=id'), 'public, max-age=60')
  assert.equal(await control(open, '/notes?fields=id'), 'public, max-age=60')
  assert.equal(await control(open, '/notes/1?fields=id,hits'), 'public, max-age=5')
  assert.equal(await control(open, '/notes/1?fields=own'), 'private, max-age=60')
  assert.equal(await control(open, '/notes/1?fields=by.name'), 'no-cache')
  assert.equal(await control(open, '/notes/1?fields=pens.id'), 'public, max-age=30')
  assert.equal(await control(open, '/notes/1?fields=last.id'), 'public, max-age=9')
  assert.equal(await control(open, '/users/1'), 'no-cache')

  const account = 'type User @account @allow(who: "self") { id: ID! email: String! @unique }'
  const ruled = (type: string, field = '') => `
    type Note @cacheControl(maxAge: 60) ${type} { id: ID! text: String ${field} by: User }
    ${account}`
  const everyone = ruled('@allow(to: [READ])')
  assert.equal(await control(everyone, '/notes/1?fields=id,text'), 'public, max-age=60')
  assert.equal(await control(everyone, '/notes/1'), 'private, max-age=60') // `by` is not readable for everyone
  assert.equal(await control(everyone, '/notes?fields=id&text=x'), 'private, max-age=60')
  const some = ruled('@allow(to: [READ], where: {text: {eq: "x"}})')
  assert.equal(await control(some, '/notes/1?fields=id'), 'private, max-age=60')
  const hidden = ruled('@allow(to: [READ])', '@allow(who: "by", to: [READ])')
  assert.equal(await control(hidden, '/notes/1?fields=text'), 'private, max-age=60')
  assert.equal(await control(hidden, '/notes?fields=id&sort=text'), 'private, max-age=60')
})

test('R60: a rule of a single field makes the response private', () => {
  const vary = (sdl: string) => new CacheHeaders(loadModel(sdl, 'a.graphql')).itemVary
  assert.equal(vary('type Note { id: ID! text: String }'), 'accept')
  assert.equal(vary('type Note { id: ID! text: String @allow(role: "staff") }'), 'accept, authorization')
})

test('R32: an offset page links to the first, the previous and the next page', () => {
  assert.equal(
    offsetLinks('/posts', ['status=DRAFT'], { limit: 20, offset: 10, more: true }),
    '</posts?status=DRAFT&offset=0&limit=20>; rel="first", ' +
      '</posts?status=DRAFT&offset=0&limit=20>; rel="prev", ' +
      '</posts?status=DRAFT&offset=30&limit=20>; rel="next"',
  )
  assert.equal(
    offsetLinks('/posts', [], { limit: 5, offset: 0, more: false }),
    '</posts?offset=0&limit=5>; rel="first"',
  )
})

test('R32: a page with limit=0 has no next page', () => {
  assert.equal(offsetLinks('/posts', [], { limit: 0, offset: 3, more: true }), '</posts?offset=0&limit=0>; rel="first"')
})

test('R32: a long query is repeated in one link only', () => {
  const unpagedParts = [`title=${'x'.repeat(2000)}`]
  assert.match(
    offsetLinks('/posts', unpagedParts, { limit: 5, offset: 5, more: true }) ?? '',
    /^<[^,]*offset=10&limit=5>; rel="next"$/,
  )
  assert.equal(offsetLinks('/posts', unpagedParts, { limit: 5, offset: 5, more: false }), null)
})

test('R34: a cursor page links to the next one', () => {
  assert.equal(cursorLink('/posts', ['first=2'], 'a+b'), '</posts?first=2&after=a%2Bb>; rel="next"')
})

test('R34: a cursor too long for a header has no link', () => {
  assert.equal(cursorLink('/posts', [], 'x'.repeat(2001)), null)
})

test('characters that would end the link are encoded', () => {
  assert.equal(cursorLink('/posts', ['title=a>b"c'], 'x'), '</posts?title=a%3Eb%22c&after=x>; rel="next"')
})
