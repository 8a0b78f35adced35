// `npm run docs`: the documents as a static site with search, in `build/docs`. Open its `index.html`, or serve the folder from any path.

import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { navigationOf, renderNavigation } from './navigation.ts'
import { renderPage } from './page-shell.ts'
import { renderMarkdown } from './render-markdown.ts'
import { searchIndex } from './search-index.ts'
import { SiteLinks } from './site-links.ts'
import { readPages } from './site-pages.ts'
import { sourcePages } from './source-pages.ts'

const root = join(import.meta.dirname, '../..')

/** Returns the number of pages. Throws if a link of a page leads nowhere. */
export function buildDocs(folder: string): number {
  const pages = readPages(root)
  const links = new SiteLinks(root, pages)
  const groups = navigationOf(pages)
  const rendered = pages.map((page) => ({
    ...page,
    ...renderMarkdown(page.markdown, (link) => links.hrefOf(page, link)),
  }))
  if (links.broken.length > 0) throw new Error(`These links lead nowhere:\n${links.broken.join('\n')}`)

  rmSync(folder, { recursive: true, force: true })
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  for (const { target, title, html, headings } of rendered) {
    const navigation = renderNavigation(groups, target, headings)
    write(target, renderPage({ target, title, navigation, content: html }))
  }
  const sources = sourcePages(root, links.shown)
  for (const { target, title, content } of sources) {
    write(target, renderPage({ target, title, navigation: renderNavigation(groups, target, []), content }))
  }
  write('assets/search-index.js', searchIndex(rendered))
  cpSync(join(import.meta.dirname, 'assets'), join(folder, 'assets'), { recursive: true })
  for (const [copy, picture] of links.pictures) cpSync(join(root, picture), join(folder, copy))
  return rendered.length + sources.length
}

if (import.meta.main) {
  const folder = join(root, 'build/docs')
  const count = buildDocs(folder)
  console.log(`${count} pages: ${pathToFileURL(join(folder, 'index.html'))}`)
}
