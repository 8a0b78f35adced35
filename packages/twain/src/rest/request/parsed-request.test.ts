import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fullVisibility } from '#plan/build'
import { blog } from '../blog.fixture.ts'
import { expectPossibleId } from './parsed-request.ts'
import { parseQuery } from './query-string.ts'
import { Router } from './route.ts'

test('R3: an id that no row can have is not found', () => {
  const parsed = { ...new Router(blog).find('/posts/p1'), query: parseQuery(''), visibility: fullVisibility }
  assert.doesNotThrow(() => expectPossibleId(parsed))
  assert.throws(() => expectPossibleId({ ...parsed, id: 'a b' }), { code: 'NOT_FOUND' })
})
