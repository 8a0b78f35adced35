// Pages that show what the documents link to and what is no document: a file of the repository, or the files of a folder.

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { extname, join, posix } from 'node:path'
import { escapeHtml, renderCode } from './render-markdown.ts'
import { relativeHref } from './site-links.ts'

export interface SourcePage {
  target: string
  title: string
  content: string
}

const languages: Record<string, string> = { '.html': 'xml', '.tsx': 'ts' }

/** `shown` has paths of the repository, by the paths of their pages. The files of a folder get pages too. */
export function sourcePages(root: string, shown: ReadonlyMap<string, string>): SourcePage[] {
  const pages = new Map<string, SourcePage>()
  for (const [target, path] of shown) {
    if (statSync(join(root, path)).isDirectory()) {
      const files = filesOf(root, path)
      for (const file of files) pages.set(targetOf(file), filePage(root, file))
      pages.set(target, folderPage(target, path, files))
    } else pages.set(target, filePage(root, path))
  }
  return [...pages.values()]
}

function targetOf(file: string): string {
  return `source/${file}.html`
}

function filesOf(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => posix.join(folder, name))
    .sort()
}

function folderPage(target: string, path: string, files: readonly string[]): SourcePage {
  const items = files.map(
    (file) => `<li><a href="${relativeHref(target, targetOf(file))}">${escapeHtml(posix.basename(file))}</a></li>`,
  )
  return { target, title: path, content: `<h1>${escapeHtml(path)}</h1>\n<ul>\n${items.join('\n')}\n</ul>\n` }
}

function filePage(root: string, path: string): SourcePage {
  const extension = extname(path)
  const code = renderCode(readFileSync(join(root, path), 'utf8').trimEnd(), languages[extension] ?? extension.slice(1))
  return { target: targetOf(path), title: path, content: `<h1>${escapeHtml(path)}</h1>\n${code}` }
}
