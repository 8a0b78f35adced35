import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultPicks, fullSight, type ValuePick } from '#plan'
import { resource } from '../blog.fixture.ts'

test('R10: stored fields in the order of the file, references as ids, no lists', () => {
  assert.deepEqual(
    defaultPicks(resource('Post'), fullSight).map(({ key, kind }) => `${key} ${kind}`),
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
    defaultPicks(resource('User'), fullSight).some(({ key }) => key === 'profile'),
    false,
  )
  assert.equal(
    defaultPicks(resource('Profile'), fullSight).some(({ key }) => key === 'user'),
    true,
  )
})

test('R10: values are whole, and one that holds itself ends as it is stored', () => {
  const address = defaultPicks(resource('User'), fullSight).find(({ key }) => key === 'address')
  assert.equal(address?.kind, 'value')
  assert.deepEqual(outline(address.pick), {
    street: null,
    city: null,
    country: { code: null, name: null },
    former: null,
  })
})

function outline(picks: ValuePick[]): unknown {
  return Object.fromEntries(
    picks.map((pick) => [pick.key, pick.kind === 'field' && pick.pick ? outline(pick.pick) : null]),
  )
}
