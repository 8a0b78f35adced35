// A strong entity tag names bytes, so what is sent compressed needs another one than what is sent as it is (RFC 9110,
// 8.8.3.3): ours is that of the plain bytes with the coding behind a `+`, which no tag of ours has in it otherwise.

export function encodedTag(tag: string, coding: string): string {
  return `${tag.slice(0, -1)}+${coding}"`
}

/** The tag of the plain bytes. */
export function plainTag(tag: string): string {
  return tag.replace(/\+(?:gzip|br|zstd)"$/, '"')
}
