// How long the code of a transaction may take: its own time counts, with more for each row; waiting does not.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ServiceCode } from '../../packages/twain/src/code/define-service.ts'
import { defaultLimits } from '../../packages/twain/src/plan/index.ts'
import { graphqlData, openApis, restBody, type TestApis } from '../harness/open-apis.ts'

const sdl = `
  type Item @allow { id: ID! name: String! }
  type Trace @allow { id: ID! of: ID! }
`

/** As a server has it. */
const second = { maxCodeMs: 1000 }

async function using(service: ServiceCode, maxCodeMs: number, work: (apis: TestApis) => Promise<void>): Promise<void> {
  const apis = await openApis(sdl, { timeSeconds: 200 }, undefined, undefined, undefined, { service, maxCodeMs })
  try {
    await work(apis)
  } finally {
    await apis.close()
  }
}

test('a list of limits.bulk rows has time for a hook that writes another row for each', async () => {
  const service: ServiceCode = {
    after: { Item: ({ id }, { system }) => system.write.Trace!.create({ of: id }) },
  }
  const items = Array.from({ length: defaultLimits.bulk }, (_, index) => ({ name: `item ${index}` }))
  await using(service, second.maxCodeMs, async (apis) => {
    const made = (await restBody(apis, 'POST', '/items', items)) as { id: string }[]
    assert.equal(made.length, items.length)
    const { tracesConnection } = await graphqlData(apis, '{ tracesConnection(first: 1) { totalCount } }')
    assert.deepEqual(tracesConnection, { totalCount: items.length })
  })
})

test('code that computes without end of its call is stopped at the next one', async () => {
  const service: ServiceCode = {
    after: {
      async Item({ id }, { write }) {
        const until = performance.now() + 200
        while (performance.now() < until);
        await write.Trace!.create({ of: id })
      },
    },
  }
  await using(service, 100, async (apis) => {
    const { status, body } = await apis.rest('POST', '/items', { name: 'slow' })
    assert.deepEqual(
      [status, (body as { detail: string }).detail],
      [503, 'The custom code of the write took longer than 0.11 s and was stopped; nothing was written.'],
    )
    assert.deepEqual(await restBody(apis, 'GET', '/items'), [])
    assert.deepEqual(await restBody(apis, 'GET', '/traces'), [])
  })
})
