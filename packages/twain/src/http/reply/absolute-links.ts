// Makes the links in the header of a reply absolute, with the public origin of the service (`http.origin`) and the base path.
// Without `http.origin` they stay relative: `Host` is what the client sent, and a cache could pass a wrong one on to others.

import type { HttpReply } from '#base/http'

/** `prefix` is the origin with the base path, or one of them. */
export function withAbsoluteLinks(reply: HttpReply, prefix: string): HttpReply {
  const { location, link } = reply.headers
  if (location === undefined && link === undefined) return reply
  const headers = { ...reply.headers }
  if (typeof location === 'string' && isPath(location)) headers.location = prefix + location
  if (link !== undefined)
    headers.link = typeof link === 'string' ? linkOf(link, prefix) : link.map((one) => linkOf(one, prefix))
  return { ...reply, headers }
}

/** `//example.org` is another host. */
function isPath(url: string): boolean {
  return url.startsWith('/') && !url.startsWith('//')
}

/** A list of links (RFC 8288, 3): each target stands between angle brackets. */
function linkOf(links: string, prefix: string): string {
  return links.replaceAll(/<(\/(?!\/)[^>]*)>/g, (_, target: string) => `<${prefix}${target}>`)
}
