// `Link` (RFC 8288) to the other pages of a collection, with the same other parameters (docs/reference/rest.md, R32, R34).

/** Each link repeats the query, and clients limit the size of headers. */
const maxQueryCharacters = 2000

/** The links of an offset page; null if there are none. `limit=0` has no next page. */
export function offsetLinks(
  path: string,
  unpagedParts: readonly string[],
  page: { limit: number; offset: number; more: boolean },
): string | null {
  const { limit, offset, more } = page
  const short = unpagedParts.join('&').length <= maxQueryCharacters
  const links: string[] = []
  if (short) links.push(link('first', 0))
  if (short && offset > 0 && limit > 0) links.push(link('prev', Math.max(0, offset - limit)))
  if (more && limit > 0) links.push(link('next', offset + limit))
  return links.length === 0 ? null : links.join(', ')

  function link(rel: string, to: number): string {
    return `<${address(path, [...unpagedParts, `offset=${to}`, `limit=${limit}`])}>; rel="${rel}"`
  }
}

/** The link to the next cursor page; null if the cursor is too long for a header, as when sorting by long texts. */
export function cursorLink(path: string, unpagedParts: readonly string[], endCursor: string): string | null {
  if (endCursor.length > maxQueryCharacters) return null
  return `<${address(path, [...unpagedParts, `after=${encodeURIComponent(endCursor)}`])}>; rel="next"`
}

function address(path: string, parts: readonly string[]): string {
  return `${path}?${parts.join('&')}`.replace(/[<>"\\^`{|}]/g, encodeURIComponent)
}
