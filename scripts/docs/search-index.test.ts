import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renderMarkdown } from './render-markdown.ts'
import { sectionsOf } from './search-index.ts'

test('the index has the text of each section without markup, and code as it is written', () => {
  const page =
    '# Rules\nSee [rules](r.md).\n\n## `@allow` & more\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```graphql\ntype A @allow(who: "x")\n```\n'
  const { html } = renderMarkdown(page, (link) => link)
  assert.deepEqual(sectionsOf(html), [
    ['Rules', 'rules', 'See rules.'],
    ['@allow & more', 'allow--more', 'a b 1 2 type A @allow(who: "x")'],
  ])
})
