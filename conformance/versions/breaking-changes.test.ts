// `compareModels` finds the schema changes that break clients. Here GraphQL Inspector compares the two served GraphQL schemas, and must
// find no breaking change that ours does not. It knows nothing of rules, transitions, constraints, paths and rows, so ours finds more.
// stores: none

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CriticalityLevel, diff } from '@graphql-inspector/core'
import { buildASTSchema, buildSchema, type DocumentNode, parse, visit } from 'graphql'
import { printSchema } from '../../packages/twain/src/graphql/index.ts'
import { type TypeAliases, typeAliasesOf } from '../../packages/twain/src/graphql/schema/type-aliases.ts'
import { compareModels } from '../../packages/twain/src/model/compare/index.ts'
import { schemaChanges } from '../../packages/twain/src/model/compare/schema-changes.fixture.ts'
import { loadModel } from '../../packages/twain/src/model/index.ts'

const load = (sdl: string) => loadModel(sdl, 'test.graphql')

async function breaksOf(before: string, after: string): Promise<string[]> {
  const typeAliases = typeAliasesOf(load(after))
  const was = buildASTSchema(underPresentNames(parse(printSchema(load(before))), typeAliases))
  const is = buildSchema(printSchema(load(after)))
  const changes = await diff(was, is)
  return changes
    .filter(({ criticality }) => criticality.level === CriticalityLevel.Breaking)
    .map(({ message }) => message)
    .filter((message) => !message.startsWith(`Input field '_' was removed`)) // a placeholder for "no value"
}

/** Documents may use aliases of types, so renamed types count as the same. */
function underPresentNames(document: DocumentNode, typeAliases: TypeAliases): DocumentNode {
  return visit(document, {
    Name(node, _key, parent) {
      const isType = parent !== undefined && 'kind' in parent && /Type(?:Definition)?$/.test(parent.kind)
      const present = isType ? typeAliases?.get(node.value) : undefined
      return present === undefined ? undefined : { ...node, value: present }
    },
  })
}

for (const [title, before, after] of schemaChanges) {
  test(`GraphQL Inspector finds no more breaking changes: ${title}`, async () => {
    const found = await breaksOf(before, after)
    const ours = compareModels(load(before), load(after))
    const isAnnounced = ours.some(({ message }) => message.endsWith('as its deprecation announced'))
    if (found.length === 0 || isAnnounced) return
    assert.ok(
      ours.some(({ kind }) => kind === 'breaking'),
      `${found.join('\n')}\n${JSON.stringify(ours)}`,
    )
  })
}

test('GraphQL Inspector finds breaking changes at all', async () => {
  assert.notDeepEqual(await breaksOf('type A { id: ID! x: Int }', 'type A { id: ID! }'), [])
})
