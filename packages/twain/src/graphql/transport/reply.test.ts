import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseMediaType } from './reply.ts'

test('the media type follows Accept, and is that of the draft without it', () => {
  const json = 'application/json'
  const response = 'application/graphql-response+json'
  const choices: [string | undefined, string][] = [
    [undefined, response],
    ['', json],
    ['*/*', json],
    ['application/*', json],
    [response, response],
    [`${response}; charset=utf-8, ${json};q=0.9`, response],
    [`${json}, ${response}`, json],
    [`${json};q=0.5, ${response};q=0.8`, response],
    [`text/html, */*;q=0.1`, json],
    [`${json};q=0, */*`, response],
  ]
  for (const [accept, expected] of choices) assert.equal(chooseMediaType(accept), expected, accept)
})

test('a request that accepts none of the media types is NOT_ACCEPTABLE', () => {
  assert.throws(() => chooseMediaType('text/html'), { code: 'NOT_ACCEPTABLE' })
  assert.throws(() => chooseMediaType('application/json;q=0'), { code: 'NOT_ACCEPTABLE' })
})
