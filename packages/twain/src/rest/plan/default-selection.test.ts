import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ValueSelection } from '#plan'
import { defaultSelection, fullVisibility } from '#plan/build'
import { resource } from '../blog.fixture.ts'

test('R10: the default representation has stored fields in the order of the schema, references as ids, and no lists', () => {
  assert.deepEqual(
    defaultSelection(resource('Post'), fullVisibility).map(({ key, kind }) => `${key} ${kind}`),
    [
      'id field',
      'title field',
      'status field',
      'labels field',
      'createdAt field',
      'author id',
      'where field',
      'sort field',
    ],
  )
})

test('R10: the other side of a one-to-one is left out', () => {
  assert.equal(
    defaultSelection(resource('User'), fullVisibility).some(({ key }) => key === 'profile'),
    false,
  )
  assert.equal(
    defaultSelection(resource('Profile'), fullVisibility).some(({ key }) => key === 'user'),
    true,
  )
})

test('R10: value types are complete, and a recursive one ends as it is stored', () => {
  const address = defaultSelection(resource('User'), fullVisibility).find(({ key }) => key === 'address')
  assert.equal(address?.kind, 'value')
  assert.deepEqual(outline(address.selections), {
    street: null,
    city: null,
    country: { code: null, name: null },
    former: null,
  })
})

function outline(selections: ValueSelection[]): unknown {
  return Object.fromEntries(
    selections.map((selection) => [
      selection.key,
      selection.kind === 'field' && selection.selections ? outline(selection.selections) : null,
    ]),
  )
}
