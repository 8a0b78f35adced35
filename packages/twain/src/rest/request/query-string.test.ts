import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseQuery } from './query-string.ts'

test('R20: words are parameters, all else is a filter, and a word with an operator is a field', () => {
  const { words, filters, problems } = parseQuery('sort=-title&limit=5&status=DRAFT&sort[eq]=x&author.name[contains]=A')
  assert.deepEqual(words, { sort: '-title', limit: '5' })
  assert.deepEqual(
    filters.map(({ path, op, text }) => [path, op, text]),
    [
      ['status', 'eq', 'DRAFT'],
      ['sort', 'eq', 'x'],
      ['author.name', 'contains', 'A'],
    ],
  )
  assert.deepEqual(problems, [])
})

test('R21: names and values are decoded, brackets too, and a plus is a space', () => {
  const { filters } = parseQuery('createdAt%5Bgte%5D=a%2Bb+c&&title')
  assert.deepEqual(
    filters.map(({ key, text }) => [key, text]),
    [
      ['createdAt[gte]', 'a+b c'],
      ['title', ''],
    ],
  )
})

test('R21, R22, R23: every mistake is named at once', () => {
  const { problems } = parseQuery('a=%zz&%ff=1&limit=1&limit=2&a[b=1&where={&=x&a[]=1&a[eq]b=1')
  assert.deepEqual(
    problems.map(({ path, code }) => [path, code]),
    [
      ['a', 'PATTERN'],
      ['%ff', 'PATTERN'],
      ['limit', 'UNKNOWN'],
      ['a[b', 'UNKNOWN'],
      ['where', 'TYPE'],
      ['', 'UNKNOWN'],
      ['a[]', 'UNKNOWN'],
      ['a[eq]b', 'UNKNOWN'],
    ],
  )
})

test('R32: the parts that do not say which page are kept as they were sent', () => {
  assert.deepEqual(parseQuery('status=DRAFT&offs%65t=5&title=a%20b&limit=5&after=x&first=2').kept, [
    'status=DRAFT',
    'title=a%20b',
    'first=2',
  ])
})
