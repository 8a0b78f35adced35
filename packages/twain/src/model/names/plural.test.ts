import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plural } from './plural.ts'

test('a word gets its English plural', () => {
  const plurals = {
    post: 'posts',
    category: 'categories',
    day: 'days',
    box: 'boxes',
    address: 'addresses',
    match: 'matches',
    wish: 'wishes',
    person: 'people',
    child: 'children',
    mouse: 'mice',
    knife: 'knives',
    analysis: 'analyses',
    index: 'indices',
    hero: 'heroes',
    photo: 'photos',
    status: 'statuses',
    salesman: 'salesmen',
    human: 'humans',
    constructor: 'constructors',
    route66: 'route66s',
  }
  for (const [word, expected] of Object.entries(plurals)) assert.equal(plural(word), expected)
})

test('a word that is its own plural in English gets a different plural', () => {
  for (const word of ['news', 'series', 'sheep', 'fish', 'species', 'posts', 'data', 'media', 'people', 'children']) {
    assert.notEqual(plural(word), word)
  }
  assert.equal(plural('news'), 'newses')
  assert.equal(plural('series'), 'serieses')
})

test('only the last word of a name changes', () => {
  assert.equal(plural('loan-request'), 'loan-requests')
  assert.equal(plural('sales-person'), 'sales-people')
})
