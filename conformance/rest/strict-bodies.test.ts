// Bodies that a lenient parser would mend are refused, on both APIs.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openApis } from '../harness/open-apis.ts'

test('JSON with a name twice and invalid base64 in XML are 400', async (t) => {
  const apis = await openApis('type Tag @allow { id: ID!, name: String!, extra: JSON }')
  t.after(() => apis.close())
  const send = async (path: string, type: string, body: string) =>
    (
      await apis.send(path === '/graphql' ? 'graphql' : 'rest', {
        method: 'POST',
        path,
        headers: { 'content-type': type },
        body,
      })
    ).status
  const json = 'application/json'
  assert.equal(await send('/tags', json, '{"name":"x","name":"y"}'), 400)
  assert.equal(await send('/tags', json, '{"name":"x","extra":{"a":1,"a":2}}'), 400)
  const query = 'mutation($n: String!) { createTag(input: {name: $n}) { id } }'
  assert.equal(await send('/graphql', json, `{"query":${JSON.stringify(query)},"variables":{"n":"x","n":"y"}}`), 400)
  for (const text of ['!!', 'YQ', 'YQ===', 'Y=Q=', '/w==']) {
    assert.equal(await send('/tags', 'application/xml', `<tag><name encoding="base64">${text}</name></tag>`), 400, text)
  }
  assert.equal(await send('/tags', 'application/xml', '<tag><name encoding="base64">YQ==</name></tag>'), 201)
  assert.deepEqual(((await apis.rest('GET', '/tags?fields=name')).body as object[]).length, 1)
})
