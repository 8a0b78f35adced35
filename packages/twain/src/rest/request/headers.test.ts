import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requestOf } from '../blog.fixture.ts'
import { prefersCount } from './headers.ts'

test('R33: only count=exact is recognized, also among other preferences', () => {
  const options = (prefer: string) => prefersCount(requestOf('/posts', { headers: { prefer } }))
  for (const prefer of ['count=exact', 'respond-async, count=exact', 'Count="exact"; x=y'])
    assert.equal(options(prefer), true)
  for (const prefer of ['count=planned', 'discount=exact', '']) assert.equal(options(prefer), false)
  assert.equal(prefersCount(requestOf('/posts')), false)
})
