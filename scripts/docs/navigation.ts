// The navigation of the site: the groups of `docs/`, each in the order in which the README of its folder links the pages.

import { posix } from 'node:path'
import { escapeHtml, type Heading } from './render-markdown.ts'
import { relativeHref } from './site-links.ts'
import type { SitePage } from './site-pages.ts'

interface NavigationGroup {
  title: string
  pages: SitePage[]
}

const folders = {
  Guide: 'docs/guide',
  Reference: 'docs/reference',
  Operations: 'docs/operations',
  Internals: 'docs/internals',
}

const projectPages = ['docs/comparison.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md']

export function navigationOf(pages: readonly SitePage[]): NavigationGroup[] {
  const bySource = new Map(pages.map((page) => [page.source, page]))
  const listed = (sources: readonly string[]) => sources.flatMap((source) => bySource.get(source) ?? [])
  const groups = Object.entries(folders).map(([title, folder]) => ({
    title,
    pages: listed(linkedPages(bySource.get(`${folder}/README.md`)!)),
  }))
  return [...groups, { title: 'Project', pages: listed(projectPages) }]
}

/** The pages of its folder that a README links, itself first, each once. */
function linkedPages({ source, markdown }: SitePage): string[] {
  const folder = posix.dirname(source)
  const links = [...markdown.matchAll(/\]\(([^)#\s]+\.md)/g)].map(([, link]) => posix.join(folder, link!))
  return [...new Set([source, ...links.filter((path) => path.startsWith(`${folder}/`))])]
}

/** With the chapters of the page that it is for. */
export function renderNavigation(
  groups: readonly NavigationGroup[],
  page: string,
  headings: readonly Heading[],
): string {
  const chapters = headings.filter(({ depth }) => depth === 2)
  const item = ({ target, title }: SitePage) => {
    if (target !== page) return `<li><a href="${relativeHref(page, target)}">${escapeHtml(title)}</a></li>`
    const inner = chapters.map(({ anchor, html }) => `<li><a href="#${anchor}">${withoutLinks(html)}</a></li>`).join('')
    return `<li><a href="#" aria-current="page">${escapeHtml(title)}</a>${inner && `<ul>${inner}</ul>`}</li>`
  }
  return groups.map(({ title, pages }) => `<h2>${title}</h2><ul>${pages.map(item).join('')}</ul>`).join('\n')
}

function withoutLinks(html: string): string {
  return html.replace(/<\/?a\b[^>]*>/g, '')
}
