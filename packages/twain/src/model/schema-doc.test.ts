// docs/reference/schema.md: each example is a schema file without mistakes, and the table of directives has every directive.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type DirectiveDefinitionNode, Kind, parse } from 'graphql/language'
import { docTable } from '#doc-table'
import { loadModel } from './load-model.ts'
import { directiveDefinitions } from './parse/vocabulary.ts'

const page = readFileSync(join(import.meta.dirname, '../../../../docs/reference/schema.md'), 'utf8')
const examples = [...page.matchAll(/^```graphql\n([\s\S]*?)^```$/gm)]

test('each example of docs/reference/schema.md is a schema file without mistakes', () => {
  assert.ok(examples.length >= 15)
  for (const [, sdl] of examples) assert.doesNotThrow(() => loadModel(sdl!, 'example.graphql'), sdl)
})

test('the table of directives in docs/reference/schema.md names every directive and all its arguments', () => {
  const cells = docTable('reference/schema.md', 'Directives').map(([directive = '']) => directive)
  const described = cells.flatMap((cell) => [...cell.matchAll(/@(\w+)(?:\(([^)]*)\))?/g)])

  for (const { name, arguments: args = [] } of definitions()) {
    const words = described.filter(([, one]) => one === name.value).flatMap(([, , list = '']) => list.split(/[\s,:]+/))
    assert.ok(
      cells.some((cell) => cell.includes(`@${name.value}`)),
      `@${name.value} is missing`,
    )
    for (const arg of args) assert.ok(words.includes(arg.name.value), `@${name.value}(${arg.name.value}) is missing`)
  }
})

function definitions(): DirectiveDefinitionNode[] {
  return parse(directiveDefinitions).definitions.filter((one) => one.kind === Kind.DIRECTIVE_DEFINITION)
}
