import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PlanBuilder } from '#plan/build'
import { decodePercent, expectParameters, parseQuery } from './query-string.ts'

test('R20: reserved names are parameters, other names are filters, and a reserved name with an operator is a field', () => {
  const {
    parameters: words,
    filters,
    problems,
  } = parseQuery('sort=-title&limit=5&status=DRAFT&sort[eq]=x&author.name[contains]=A')
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

test('R21, R22, R23: all mistakes are reported together', () => {
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

test('R22: a list may be repeated in the place of commas', () => {
  const { parameters, problems } = parseQuery('sort=a&fields=x,y&sort=-b&fields=z')
  assert.deepEqual([parameters, problems], [{ sort: 'a,-b', fields: 'x,y,z' }, []])
})

test('R32: the raw parts other than those of paging are returned for links', () => {
  assert.deepEqual(parseQuery('status=DRAFT&offs%65t=5&title=a%20b&limit=5&after=x&first=2').unpagedParts, [
    'status=DRAFT',
    'title=a%20b',
    'first=2',
  ])
})

test('R23: an unknown parameter is reported once, with a suggestion', () => {
  const builder = new PlanBuilder()
  expectParameters(parseQuery('feilds=id&where={}&limit=1&fields=id'), ['fields'], builder)
  assert.deepEqual(
    builder.problems.map(({ path, message }) => `${path} ${message}`),
    [
      'where is not a parameter here; there is fields.',
      'limit is not a parameter here; there is fields.',
      'feilds is not a parameter here; there is fields. Did you mean "fields"?',
    ],
  )
})

test('R23: the error names it if the path takes no parameters', () => {
  const builder = new PlanBuilder()
  expectParameters(parseQuery('fields=id'), [], builder)
  assert.equal(builder.problems[0]?.message, 'is not a parameter here; this request takes none.')
})

test('R21: percent-encoded UTF-8 is decoded', () => {
  assert.equal(decodePercent('caf%C3%A9'), 'café')
  assert.equal(decodePercent('plain'), 'plain')
  assert.equal(decodePercent(''), '')
})

test('R21: broken escapes, invalid UTF-8 and unencoded text are rejected', () => {
  for (const text of ['%zz', '%', '%E4', '%C3%28', '%ED%A0%80', 'café', 'a b', 'a\0']) {
    assert.equal(decodePercent(text), null, JSON.stringify(text))
  }
})
