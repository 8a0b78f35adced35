import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Many } from '#plan'
import { fakeGraphql, resource, rows } from '../blog.fixture.ts'

test('a connection is picked as it is asked, down to its cursors', async () => {
  const { ask, asked } = fakeGraphql({ answers: [rows] })
  await ask(`{ postsConnection(first: 2) {
    n: totalCount
    edges { cursor row: node { id } __typename }
    pageInfo { hasNextPage end: endCursor }
  } }`)
  const plan = asked[0]?.plan as Many
  assert.deepEqual(plan.page, {
    kind: 'keyset',
    first: { index: 0, fits: { kind: 'size', most: 'page' } },
    after: null,
  })
  assert.deepEqual(plan.shape, {
    kind: 'connection',
    pick: [
      { kind: 'totalCount', key: 'n' },
      {
        kind: 'edges',
        key: 'edges',
        pick: [
          { kind: 'cursor', key: 'cursor' },
          {
            kind: 'node',
            key: 'row',
            cases: [
              { of: resource('Post'), pick: [{ kind: 'field', key: 'id', field: resource('Post').fields.get('id') }] },
            ],
          },
          { kind: 'constant', key: '__typename', value: 'PostEdge' },
        ],
      },
      {
        kind: 'pageInfo',
        key: 'pageInfo',
        pick: [
          { kind: 'hasNextPage', key: 'hasNextPage' },
          { kind: 'endCursor', key: 'end' },
        ],
      },
    ],
  })
})
