// Markdown as HTML: anchors for headings, links of the site, coloured code.

import { createRequire } from 'node:module'
import { Marked } from 'marked'
import { Anchors } from './anchors.ts'

/** Of highlight.js. Its own types refer to those of browsers, which would then hold for the whole repository. */
interface Highlighter {
  getLanguage(name: string): object | undefined
  highlight(text: string, options: { language: string }): { value: string }
}

const require = createRequire(import.meta.url)
const hljs: Highlighter = require('highlight.js')

export interface Heading {
  depth: number
  anchor: string
  /** As HTML. */
  html: string
}

export interface RenderedPage {
  html: string
  headings: Heading[]
}

export function renderMarkdown(markdown: string, hrefOf: (link: string) => string): RenderedPage {
  const anchors = new Anchors()
  const headings: Heading[] = []
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        const anchor = anchors.of(text)
        const html = this.parser.parseInline(tokens)
        headings.push({ depth, anchor, html })
        return `<h${depth} id="${anchor}">${html} <a class="anchor" href="#${anchor}" aria-hidden="true" tabindex="-1">#</a></h${depth}>\n`
      },
      link({ href, tokens }) {
        return `<a href="${escapeHtml(hrefOf(href))}">${this.parser.parseInline(tokens)}</a>`
      },
      image({ href, text }) {
        return `<img src="${escapeHtml(hrefOf(href))}" alt="${escapeHtml(text)}">`
      },
      code({ text, lang }) {
        return renderCode(text, lang ?? '')
      },
    },
  })
  return { html: marked.parse(markdown, { async: false }), headings }
}

/** `info` is the language, and for the guide the terminal: `sh server`. */
export function renderCode(text: string, info: string): string {
  const [language = '', terminal] = info.split(' ')
  const caption = terminal === undefined ? '' : `<figcaption>terminal: ${escapeHtml(terminal)}</figcaption>`
  const isKnown = hljs.getLanguage(language) !== undefined
  const html = isKnown ? hljs.highlight(text, { language }).value : escapeHtml(text)
  return `<figure>${caption}<pre tabindex="0"><code>${html}\n</code></pre></figure>\n`
}

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
