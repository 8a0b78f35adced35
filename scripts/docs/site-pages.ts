// The Markdown files that become pages of the site, and the paths of these pages.

import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface SitePage {
  /** From the root of the repository: `docs/guide/tutorial.md`. */
  source: string
  /** From the root of the site: `guide/tutorial.html`. */
  target: string
  title: string
  markdown: string
}

const patterns = ['*.md', 'docs/**/*.md', 'examples/*/*.md']

export function readPages(root: string): SitePage[] {
  return globSync(patterns, { cwd: root })
    .sort()
    .map((source) => {
      const markdown = readFileSync(join(root, source), 'utf8')
      return { source, target: targetOf(source), title: titleOf(markdown), markdown }
    })
}

/** The README of a folder is its index. Those of the repository's own folder have small letters: `changelog.html`. */
export function targetOf(source: string): string {
  const path = source.replace(/^docs\//, '').replace(/\.md$/, '')
  const page = /(^|\/)README$/.test(path) ? path.replace(/README$/, 'index') : path
  return `${page.includes('/') ? page : page.toLowerCase()}.html`
}

/** The first heading, without its markup. */
function titleOf(markdown: string): string {
  const [, heading = ''] = /^# (.+)$/m.exec(markdown) ?? []
  return heading.replace(/[`*]/g, '').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
}
