// Links between the pages of the repository: each leads to a file, and to a heading that is there.
// stores: none

import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { Anchors } from '../../scripts/docs/anchors.ts'

const root = join(import.meta.dirname, '../..')
const pages = globSync(['*.md', 'docs/**/*.md', 'packages/*/README.md', 'examples/*/*.md'], { cwd: root })

test('every link of a page leads to a file and a heading that exist', () => {
  assert.ok(pages.length > 20)
  const broken = pages.flatMap((page) =>
    linksOf(page)
      .filter((link) => !leadsSomewhere(page, link))
      .map((link) => `${page}: ${link}`),
  )
  assert.deepEqual(broken, [])
})

function linksOf(page: string): string[] {
  return [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link!).filter((link) => !/^\w+:/.test(link))
}

function leadsSomewhere(page: string, link: string): boolean {
  const [path = '', heading] = link.split('#')
  const target = path === '' ? page : join(dirname(page), path)
  if (!existsSync(join(root, target))) return false
  return heading === undefined || !target.endsWith('.md') || headingsOf(target).has(heading)
}

function headingsOf(page: string): ReadonlySet<string> {
  const anchors = new Anchors()
  return new Set([...proseOf(page).matchAll(/^#+ (.*)$/gm)].map(([, title = '']) => anchors.of(title)))
}

/** The page without its blocks of code. */
function proseOf(page: string): string {
  return readFileSync(join(root, page), 'utf8').replace(/^ *```[\s\S]*?^ *```$/gm, '')
}
