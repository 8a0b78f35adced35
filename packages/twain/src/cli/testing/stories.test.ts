import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fits, readStories } from './stories.ts'

test('reads the steps of story blocks, a story for each section', () => {
  const { stories, mistakes } = readStories(`
# Notes

\`\`\`graphql
type Note { id: ID! }
\`\`\`

## One
\`\`\`story
# a comment
ann POST /notes {"text": "a → b"} → 201 {"text": "a → b"} as note
\`\`\`

Words between.

\`\`\`story
operator:admin+staff GET   /notes/{note}?fields=id   -> 200
\`\`\`

## Without a block

## Two
\`\`\`story
anonymous DELETE /notes/{note} → 401
\`\`\`
`)
  assert.deepEqual(mistakes, [])
  assert.deepEqual(
    stories.map(({ title, steps }) => [title, steps.length]),
    [
      ['One', 2],
      ['Two', 1],
    ],
  )
  const [first, second] = stories[0]!.steps
  const text = 'ann POST /notes {"text": "a → b"} → 201 {"text": "a → b"} as note'
  const request = { who: 'ann', method: 'POST', path: '/notes', body: '{"text": "a → b"}' }
  assert.deepEqual(first, { text, line: 11, ...request, status: 201, answer: '{"text": "a → b"}', as: 'note' })
  assert.deepEqual(
    [second?.who, second?.path, second?.status],
    ['operator:admin+staff', '/notes/{note}?fields=id', 200],
  )
})

test('reports every line that is no step, with its number', () => {
  const { mistakes } = readStories('## A\n```story\nann get /notes → 200\nann GET /notes → 200\nGET /notes → OK\n```\n')
  const lines = mistakes.map((mistake) => mistake.slice(0, mistake.indexOf(' is no step')))
  assert.deepEqual(lines, ['3: "ann get /notes → 200"', '5: "GET /notes → OK"'])
})

test('an answer fits if it has all expected members, and no other list items', () => {
  const value = { id: '1', tags: [{ name: 'a', n: 1 }], text: null }
  const outcomes = [
    ['', true],
    ['{"id": "1"}', true],
    ['{"tags": [{"name": "a"}]}', true],
    ['{"text": null, "owner": absent}', true],
    ['{"text": absent}', false],
    ['{"tags": []}', false],
    ['{"id": "2"}', false],
    ['[]', false],
  ] as const
  for (const [expected, isFitting] of outcomes) assert.equal(fits(value, expected), isFitting, expected)
})
