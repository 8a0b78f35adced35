// Entity tags (RFC 9110, 8.8.3). The hash is of the bytes that are sent, so a tag is strong; an item's also says the row's
// version, which `If-Match` compares. What is sent compressed needs another tag than what is sent as it is (8.8.3.3): ours
// is that of the plain bytes with the coding behind a `+`, which no tag of ours has in it otherwise.

import { hash } from 'node:crypto'

export function itemTag(version: number, text: string): string {
  return `"${version}-${digest(text)}"`
}

export function pageTag(text: string): string {
  return `"${digest(text)}"`
}

/** Whether `If-None-Match` holds the tag, or that of the same bytes compressed, by the weak comparison that it wants (RFC 9110, 13.1.2). */
export function matchesEntityTag(tag: string, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch === tag || ifNoneMatch.trim() === '*') return true
  return entityTags(ifNoneMatch)?.some((known) => plainTag(known.replace(/^W\//, '')) === tag) ?? false
}

/** The tags of a list, or null when it is none. */
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

/** Not a secret and not a proof: it only tells two representations of one address apart. */
function digest(text: string): string {
  return hash('sha1', text, 'base64url').slice(0, 16)
}
