import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { SiteLinks } from './site-links.ts'
import { targetOf } from './site-pages.ts'

const root = join(import.meta.dirname, '../..')

function pageOf(source: string) {
  return { source, target: targetOf(source), title: source, markdown: '' }
}

test('a page keeps the path of its file, and a README is the index of its folder', () => {
  assert.equal(targetOf('docs/guide/tutorial.md'), 'guide/tutorial.html')
  assert.equal(targetOf('docs/guide/README.md'), 'guide/index.html')
  assert.equal(targetOf('README.md'), 'index.html')
  assert.equal(targetOf('CHANGELOG.md'), 'changelog.html')
})

test('links lead to pages, to pictures, and to pages that show a file or a folder', () => {
  const guide = pageOf('docs/guide/sign-in.md')
  const links = new SiteLinks(root, [guide, pageOf('README.md'), pageOf('docs/reference/README.md')])
  const hrefs = {
    '#roles': '#roles',
    'https://example.org': 'https://example.org',
    '../../README.md#what': '../index.html#what',
    '../reference': '../reference/index.html',
    'images/chat.png': 'images/chat.png',
    '../../examples/blog/schema.graphql': '../source/examples/blog/schema.graphql.html',
    '../../conformance/schemas': '../source/conformance/schemas/index.html',
  }
  for (const [link, href] of Object.entries(hrefs)) assert.equal(links.hrefOf(guide, link), href)
  assert.deepEqual([...links.pictures], [['guide/images/chat.png', 'docs/guide/images/chat.png']])
  assert.deepEqual([...links.shown.values()], ['examples/blog/schema.graphql', 'conformance/schemas'])
})

test('a link that leads nowhere is named', () => {
  const guide = pageOf('docs/guide/sign-in.md')
  const links = new SiteLinks(root, [guide])
  links.hrefOf(guide, 'sing-in.md')
  assert.deepEqual(links.broken, ['docs/guide/sign-in.md: sing-in.md'])
})
