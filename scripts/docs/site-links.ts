// Where the links of a page lead in the site. A Markdown file leads to its page, a picture to its copy, and any other file or folder of
// the repository to a page that shows it. So the site is whole without the repository, and without another host.

import { existsSync, statSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import type { SitePage } from './site-pages.ts'

export class SiteLinks {
  readonly #root: string
  readonly #targets: ReadonlyMap<string, string>
  /** Files and folders of the repository that some page links to, by the paths of their pages in the site. */
  readonly shown = new Map<string, string>()
  /** Pictures, by their paths in the site. */
  readonly pictures = new Map<string, string>()
  readonly broken: string[] = []

  constructor(root: string, pages: readonly SitePage[]) {
    this.#root = root
    this.#targets = new Map(pages.map(({ source, target }) => [source, target]))
  }

  /** The `href` for a link of the page from `source` to `target`. */
  hrefOf({ source, target }: Pick<SitePage, 'source' | 'target'>, link: string): string {
    if (/^(\w+:|#)/.test(link)) return link
    const [path = '', anchor] = link.split('#')
    const found = this.#find(posix.join(dirname(source), decodeURI(path)))
    if (found === null) {
      this.broken.push(`${source}: ${link}`)
      return link
    }
    return relativeHref(target, found) + (anchor === undefined ? '' : `#${anchor}`)
  }

  #find(path: string): string | null {
    const own = path.replace(/\/$/, '')
    const page = this.#targets.get(own) ?? this.#targets.get(`${own}/README.md`)
    if (page !== undefined) return page
    if (!existsSync(join(this.#root, own))) return null
    if (/\.(png|svg|jpe?g|webp)$/.test(own)) {
      const copy = own.replace(/^docs\//, '')
      this.pictures.set(copy, own)
      return copy
    }
    const isFolder = statSync(join(this.#root, own)).isDirectory()
    const target = `source/${own}${isFolder ? '/index' : ''}.html`
    this.shown.set(target, own)
    return target
  }
}

/** From one page of the site to another. */
export function relativeHref(from: string, to: string): string {
  return posix.relative(posix.dirname(from), to)
}
