// What counts as the output that a page shows, and what does not; and which blocks a page may have.
// stores: none

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchOutput } from './match-output.ts'
import { type OutputFormat, stepsOf } from './page-steps.ts'

const matching: [OutputFormat, shown: string, printed: string][] = [
  ['json', '{"id": "…", "n": 1}', '{"id":"a-1","n":1}'],
  ['json', '[{"a": "x…z"}]\n\n[]', '[{"a":"xyz"}][]'],
  ['json', '{"a": "]"}', '{"a":"]"}'],
  ['text', 'one\n…\nthree', 'before\none\ntwo\nthree\nafter'],
  ['text', 'Tool  schema.graphql:7', '  …\nTool  schema.graphql:7'],
  [
    'http',
    'HTTP/1.1 201 Created\netag: "1-…"\n\n{"n": 1}',
    'HTTP/1.1 201 Created\r\nvary: x\r\netag: "1-abc"\r\n\r\n{"n":1}',
  ],
]

const differing: [OutputFormat, shown: string, printed: string][] = [
  ['json', '{"n": 1}', '{"n":2}'],
  ['json', '{"n": 1}', '{"n":1,"more":2}'],
  ['json', '{"n": "…"}', '{"n":null}'],
  ['json', '[{}]', '[{},{}]'],
  ['json', '[]', '[][]'],
  ['text', 'one\nthree', 'one\ntwo\nthree'],
  ['text', 'one.', 'onex'],
  ['text', '…', ''],
  ['http', 'HTTP/1.1 200 OK', 'HTTP/1.1 201 Created'],
  ['http', 'HTTP/1.1 200 OK\n\n{"n": 1}', 'HTTP/1.1 200 OK\n\n{"n":2}'],
]

for (const [format, shown, printed] of matching) {
  test(`${format}: ${JSON.stringify(shown)} matches ${JSON.stringify(printed)}`, () =>
    matchOutput(shown, printed, format))
}

for (const [format, shown, printed] of differing) {
  test(`${format}: ${JSON.stringify(shown)} does not match ${JSON.stringify(printed)}`, () =>
    assert.throws(() => matchOutput(shown, printed, format)))
}

test('a block that the suite can not run is a mistake of the page', () => {
  assert.throws(() => stepsOf('```yaml\na: 1\n```'), /does not know how to run/)
  assert.throws(() => stepsOf('```ts\nconst a = 1\n```'), /does not name the file/)
})
