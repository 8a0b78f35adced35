// What the search of the site reads: the text of each section of each page. It is a script and not JSON, because a page that was opened
// as a file may load scripts, but may fetch nothing.

import type { RenderedPage } from './render-markdown.ts'
import type { SitePage } from './site-pages.ts'

/** The page, the heading, its anchor, and the text below it. */
type IndexedSection = [page: number, heading: string, anchor: string, text: string]

export function searchIndex(pages: readonly (SitePage & RenderedPage)[]): string {
  const sections = pages.flatMap(({ html }, page) => sectionsOf(html).map((rest): IndexedSection => [page, ...rest]))
  const index = { pages: pages.map(({ title, target }) => [title, target]), sections }
  return `window.docsIndex = ${JSON.stringify(index).replaceAll('<', '\\u003c')}\n`
}

/** The heading, its anchor and the text of each section, from the HTML that has them already. */
export function sectionsOf(html: string): [heading: string, anchor: string, text: string][] {
  const parts = html.split(/<h[1-6] id="([^"]*)">([\s\S]*?) <a class="anchor"[\s\S]*?<\/h[1-6]>/)
  const sections: [string, string, string][] = []
  for (let at = 1; at < parts.length; at += 3) {
    sections.push([textOf(parts[at + 1]!), parts[at]!, textOf(parts[at + 2]!)])
  }
  return sections
}

const entities: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", '#x27': "'", amp: '&' }

/** Cells and paragraphs stay apart; the markup inside of a line goes without a trace. */
function textOf(html: string): string {
  return html
    .replace(/<\/?(p|li|ul|ol|td|th|tr|table|thead|tbody|pre|figure|figcaption|blockquote)\b[^>]*>/g, ' ')
    .replace(/<[^>]+>/g, '')
    .replace(/&(#?\w+);/g, (whole, name: string) => entities[name] ?? whole)
    .replace(/\s+/g, ' ')
    .trim()
}
