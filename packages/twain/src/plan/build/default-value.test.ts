import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stored } from '../library.fixture.ts'
import { defaultValue } from './default-value.ts'

test('a default is canonical, however the file writes it', () => {
  assert.equal(defaultValue(stored('Book.published')), '2026-01-31T08:30:00.000Z')
  assert.equal(defaultValue(stored('Book.genre')), 'NOVEL')
})

test('a field without a default starts as null', () => {
  assert.equal(defaultValue(stored('Book.pages')), null)
})

test('a value type comes whole, with the defaults of its members', () => {
  const field = { ...stored('Book.size'), default: { width: 3 } }

  const value = defaultValue(field)

  assert.deepEqual(value, { width: 3, height: 1, unit: null, note: null })
  assert.equal(defaultValue(field), value)
})
