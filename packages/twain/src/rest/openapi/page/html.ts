// Small elements of the page. Every text of the document passes through `encodeHtml` first.

import { encodeHtml } from '#base'
import type { DocumentView } from './document-view.ts'

export function code(text: string): string {
  return `<code>${encodeText(text)}</code>`
}

/** For text between tags, where quotes need no escape. */
export function encodeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

export function button(label: string): string {
  return `<button hidden>${encodeHtml(label)}</button>`
}

/** Renders paragraphs, lists and `code`. Other markup stays text, so that descriptions can not inject any. */
export function prose(text: string | undefined): string {
  if (text === undefined || text === '') return ''
  return text
    .split(/\n\s*\n/)
    .map((paragraph) => {
      const lines = paragraph.split('\n')
      if (!lines.every((line) => line.startsWith('- '))) return `<p>${inline(paragraph)}</p>`
      return `<ul>${lines.map((line) => `<li>${inline(line.slice(2))}</li>`).join('')}</ul>`
    })
    .join('')
}

function inline(text: string): string {
  return encodeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>')
}

/** The cells are HTML. Their end tags are left out, as HTML allows: they would be a sixth of the page. */
export function tableOf(rows: readonly (readonly string[])[]): string {
  const lines = rows.map((cells) => `<tr>${cells.map((cell) => `<td>${withoutParagraph(cell)}`).join('')}`)
  return `<div class="wide"><table>${lines.join('\n')}</table></div>`
}

/** A cell of one paragraph needs no element for it. */
function withoutParagraph(cell: string): string {
  const isOne = cell.startsWith('<p>') && cell.indexOf('</p>') === cell.length - '</p>'.length
  return isOne ? cell.slice('<p>'.length, -'</p>'.length) : cell
}

/** Follows a `$ref`; other parts are returned unchanged. */
export function resolve<T extends object>(part: T, document: DocumentView): T {
  if (!('$ref' in part) || typeof part.$ref !== 'string') return part
  const [, , kind = '', name = ''] = part.$ref.split('/')
  return document.components[kind]?.[name] as T
}
