import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PageRead } from '#plan'
import { fakeGraphql, resource, rows } from '../blog.fixture.ts'

test('a connection is planned as it is selected, down to its cursors', async () => {
  const { run, executedPlans } = fakeGraphql({ answers: [rows] })
  await run(`{ postsConnection(first: 2) {
    n: totalCount
    edges { cursor row: node { id } __typename }
    pageInfo { hasNextPage end: endCursor }
  } }`)
  const plan = executedPlans[0]?.plan as PageRead
  assert.deepEqual(plan.page, {
    kind: 'keyset',
    first: { index: 0, accepts: { kind: 'size' } },
    after: null,
  })
  assert.deepEqual(plan.shape, {
    kind: 'connection',
    selections: [
      { kind: 'totalCount', key: 'n' },
      {
        kind: 'edges',
        key: 'edges',
        selections: [
          { kind: 'cursor', key: 'cursor' },
          {
            kind: 'node',
            key: 'row',
            types: [
              {
                of: resource('Post'),
                selections: [{ kind: 'field', key: 'id', field: resource('Post').fields.get('id') }],
              },
            ],
          },
          { kind: 'constant', key: '__typename', value: 'PostEdge' },
        ],
      },
      {
        kind: 'pageInfo',
        key: 'pageInfo',
        selections: [
          { kind: 'hasNextPage', key: 'hasNextPage' },
          { kind: 'endCursor', key: 'end' },
        ],
      },
    ],
  })
})
