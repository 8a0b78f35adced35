import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fullVisibility } from '#plan/build'
import { blog } from '../blog.fixture.ts'
import { expectPossibleId } from './ids.ts'
import { parseQuery } from './query-string.ts'
import { Router } from './route.ts'

test('R3: what no row can have as its id is not found', () => {
  const asked = { ...new Router(blog).find('/posts/p1'), query: parseQuery(''), sight: fullVisibility }
  assert.doesNotThrow(() => expectPossibleId(asked))
  assert.throws(() => expectPossibleId({ ...asked, id: 'a b' }), { code: 'NOT_FOUND' })
})
