import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requestOf } from '../blog.fixture.ts'
import { preferredCount } from './headers.ts'

test('R33: count=exact and count=estimated are recognized, also among other preferences', () => {
  const count = (prefer: string) => preferredCount(requestOf('/posts', { headers: { prefer } }))
  for (const prefer of [
    'count=exact',
    'respond-async, count=exact',
    'Count="exact"; x=y',
    'count=exact, count=estimated',
  ])
    assert.equal(count(prefer), 'exact')
  assert.equal(count('Count="Estimated"'), 'estimated')
  for (const prefer of ['count=planned', 'discount=exact', '']) assert.equal(count(prefer), undefined)
  assert.equal(preferredCount(requestOf('/posts')), undefined)
})
