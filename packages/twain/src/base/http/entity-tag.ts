// Entity tags (RFC 9110, 8.8.3). A tag hashes the response bytes, so it is strong; the tag of an item also has the row's
// version, which `If-Match` compares. A compressed response needs a tag of its own (8.8.3.3): the tag of the plain bytes with
// the coding behind a `+`.

import { hash } from 'node:crypto'

export function itemTag(version: number, text: string): string {
  return `"${version}-${digest(text)}"`
}

export function pageTag(text: string): string {
  return `"${digest(text)}"`
}

/** Whether `If-None-Match` has the tag, or that of the same bytes compressed, by weak comparison (RFC 9110, 13.1.2). */
export function matchesEntityTag(tag: string, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch === tag || ifNoneMatch.trim() === '*') return true
  return entityTags(ifNoneMatch)?.some((known) => plainTag(known.replace(/^W\//, '')) === tag) ?? false
}

/** The tags of a list; null when the text is not one. */
export function entityTags(list: string): string[] | null {
  const tags: string[] = []
  const form = /\s*(?:((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")\s*)?(?:,|$)/y
  while (form.lastIndex < list.length) {
    const match = form.exec(list)
    if (match === null) return null
    if (match[1] !== undefined) tags.push(match[1])
  }
  return tags.length === 0 ? null : tags
}

export function encodedTag(tag: string, coding: string): string {
  return `${tag.slice(0, -1)}+${coding}"`
}

/** The tag of the plain bytes. */
export function plainTag(tag: string): string {
  return tag.replace(/\+(?:gzip|br|zstd)"$/, '"')
}

/** Not a security hash: it only distinguishes representations of one URL. */
function digest(text: string): string {
  return hash('sha1', text, 'base64url').slice(0, 16)
}
