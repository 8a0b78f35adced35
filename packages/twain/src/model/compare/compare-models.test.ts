import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadModel } from '../load-model.ts'
import { compareModels } from './compare-models.ts'
import type { Difference } from './differences.ts'
import { schemaChanges } from './schema-changes.fixture.ts'

function compare(before: string, after: string): readonly Difference[] {
  return compareModels(loadModel(before, 'a.graphql'), loadModel(after, 'a.graphql'))
}

for (const [title, before, after, ...expected] of schemaChanges) {
  test(`compared: ${title}`, () => {
    const found = compare(before, after).map(({ kind, path, message }) => `${kind} ${path}: ${message}`)
    assert.equal(found.length, expected.length, found.join('\n'))
    for (const [index, start] of expected.entries()) assert.ok(found[index]?.startsWith(start), found[index])
  })
}

test('the table has at least 80 kinds of change', () => {
  assert.ok(schemaChanges.length >= 80, String(schemaChanges.length))
  assert.equal(new Set(schemaChanges.map(([title]) => title)).size, schemaChanges.length)
})

test('a breaking change names who is affected and what to write instead, an additive one does not', () => {
  for (const [title, before, after] of schemaChanges) {
    for (const { kind, affects, hint } of compare(before, after)) {
      assert.equal(hint !== '', kind === 'breaking', title)
      assert.equal(affects === 'nobody', kind === 'additive', title)
    }
  }
})
