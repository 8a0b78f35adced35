// Small elements of the page. Every text of the document passes through `encodeHtml` first.

import { encodeHtml } from '#base'
import type { DocumentView } from './document-view.ts'

export function code(text: string): string {
  return `<code>${encodeHtml(text)}</code>`
}

export function button(label: string): string {
  return `<button type="button" hidden>${encodeHtml(label)}</button>`
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

/** The cells are HTML. */
export function tableOf(rows: readonly (readonly string[])[]): string {
  const lines = rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`)
  return `<div class="wide"><table>${lines.join('\n')}</table></div>`
}

/** Follows a `$ref`; other parts are returned unchanged. */
export function resolve<T extends object>(part: T, document: DocumentView): T {
  if (!('$ref' in part) || typeof part.$ref !== 'string') return part
  const [, , kind = '', name = ''] = part.$ref.split('/')
  return document.components[kind]?.[name] as T
}
