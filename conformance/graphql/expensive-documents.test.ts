// Each of the heaviest documents is answered or refused, without a failure of ours, in a time that nobody else notices. The
// promise is 100 ms of CPU, from the bytes of the request to those of the answer: `npm run soak -- expensive-documents` shows it.
// Here others use the machine too, and CPU time grows with what they do to its caches; what is not linear takes seconds.
// stores: sqlite

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { TestApis } from '../harness/open-apis.ts'
import { openBlog } from '../harness/open-blog.ts'
import { expensiveDocuments } from './expensive-documents.ts'
import { timeDocument } from './time-document.ts'

describe('no document holds the server', () => {
  let apis: TestApis
  before(async () => {
    apis = await openBlog()
  })
  after(() => apis.close())

  for (const [name, text] of Object.entries(expensiveDocuments())) {
    test(name, async () => {
      const { best, codes } = await timeDocument(apis, text, 3)
      assert.equal(codes.includes('INTERNAL'), false)
      assert.ok(best < 500, `${Math.round(best)} ms`)
    })
  }
})
