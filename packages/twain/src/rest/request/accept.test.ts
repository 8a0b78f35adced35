import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '#base'
import { requestOf } from '../blog.fixture.ts'
import { acceptCollection, acceptJson, acceptRow } from './accept.ts'

const asking = (accept?: string) => requestOf('/posts', accept === undefined ? {} : { headers: { accept } })

test('R50: a row is JSON or XML; a collection is also NDJSON or CSV', () => {
  for (const [accept, row, collection] of [
    [undefined, 'json', 'json'],
    ['*/*', 'json', 'json'],
    ['application/json', 'json', 'json'],
    ['application/xml', 'xml', 'xml'],
    ['text/xml;q=0.9, application/json;q=0.1', 'textXml', 'textXml'],
    ['text/csv, application/json;q=0.5', 'json', 'csv'],
    ['application/x-ndjson, */*;q=0.1', 'json', 'ndjson'],
  ] as const) {
    assert.deepEqual([acceptRow(asking(accept)), acceptCollection(asking(accept))], [row, collection], accept)
  }
})

test('R50: a 406 lists the available formats', () => {
  for (const [choose, accept, hint] of [
    [acceptRow, 'text/csv', /application\/json, application\/xml, text\/xml\.$/],
    [acceptCollection, 'image/png', /application\/x-ndjson, text\/csv\.$/],
    [acceptJson, 'application/xml', /Available: application\/json\.$/],
    [acceptRow, 'application/json;q=0', /Available:/],
    [acceptRow, 'application/problem+json', /Available:/],
  ] as const) {
    assert.throws(
      () => choose(asking(accept)),
      (error) => error instanceof ApiError && error.code === 'NOT_ACCEPTABLE' && hint.test(error.hint ?? ''),
      accept,
    )
  }
})
