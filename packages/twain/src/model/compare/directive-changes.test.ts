// Every directive and each of its arguments has a verdict, and docs/operations/upgrade.md shows it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Kind, parse } from 'graphql'
import { docTable } from '#doc-table'
import { loadModel } from '../load-model.ts'
import { directiveDefinitions, standardDirectives } from '../parse/vocabulary.ts'
import { compareModels } from './compare-models.ts'
import { type DirectiveChange, directiveChanges, type Verdict } from './directive-changes.fixture.ts'

const gravity: readonly Verdict[] = ['breaking', 'warning', 'additive', 'none']

function verdictOf({ before, after }: DirectiveChange): Verdict {
  const found = compareModels(loadModel(before, 'a.graphql'), loadModel(after, 'a.graphql')).map(({ kind }) => kind)
  return gravity.find((verdict) => verdict === 'none' || found.includes(verdict))!
}

test('each change of a directive has its verdict', () => {
  const printed = (changes: readonly DirectiveChange[], verdict: (change: DirectiveChange) => Verdict) =>
    changes.map((one) => `${one.place} ${one.change}: ${verdict(one)}`)
  assert.deepEqual(
    printed(directiveChanges, verdictOf),
    printed(directiveChanges, ({ verdict }) => verdict),
  )
})

test('every directive and every argument is changed', () => {
  const declared = parse(directiveDefinitions + standardDirectives).definitions.flatMap((definition) => {
    if (definition.kind !== Kind.DIRECTIVE_DEFINITION) return []
    const name = `@${definition.name.value}`
    const args = (definition.arguments ?? []).map((argument) => `${name}(${argument.name.value})`)
    return args.length === 0 ? [name] : args
  })
  const changed = new Set(directiveChanges.map(({ place }) => place))
  assert.deepEqual(
    declared.filter((place) => !changed.has(place)),
    [],
  )
  // A change of the whole directive may stand beside those of its arguments.
  const known = new Set(declared.flatMap((place) => [place, place.replace(/\(.*/, '')]))
  assert.deepEqual(
    [...changed].filter((place) => !known.has(place)),
    [],
  )
})

test('docs/operations/upgrade.md shows the verdicts', () => {
  assert.deepEqual(
    docTable('operations/upgrade.md', 'The verdict of each directive'),
    directiveChanges.map(({ place, change, verdict }) => [`\`${place}\``, change, verdict]),
  )
})
