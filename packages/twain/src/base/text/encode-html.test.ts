import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeHtml } from './encode-html.ts'

test('characters that could begin markup or end an attribute are encoded', () => {
  assert.equal(encodeHtml(`<a href="x" id='y'>&`), '&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;')
})
