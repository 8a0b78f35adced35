// Links between the pages of the repository: each leads to a file, and to a heading that is there.
// stores: none

import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'

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

/** As GitHub makes anchors of them: small letters, no punctuation, a dash for a space, a number for the second of a name. */
function headingsOf(page: string): ReadonlySet<string> {
  const anchors = new Set<string>()
  for (const [, title = ''] of proseOf(page).matchAll(/^#+ (.*)$/gm)) {
    const text = title.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase()
    const anchor = text.replace(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-')
    let again = 0
    while (anchors.has(again === 0 ? anchor : `${anchor}-${again}`)) again++
    anchors.add(again === 0 ? anchor : `${anchor}-${again}`)
  }
  return anchors
}

/** The page without its blocks of code. */
function proseOf(page: string): string {
  return readFileSync(join(root, page), 'utf8').replace(/^ *```[\s\S]*?^ *```$/gm, '')
}
