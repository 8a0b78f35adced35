// The headers of an uploaded file (docs/reference/rest.md, R105): browsers never execute it.

/** Browsers display these; they save all other types, HTML and SVG above all. */
const inlineTypes: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'audio/mpeg',
  'audio/ogg',
  'audio/wav',
  'audio/webm',
  'audio/mp4',
  'video/mp4',
  'video/webm',
  'video/ogg',
  'text/plain',
])

/** The media type is the one that the uploader sent; nobody guesses it from the bytes. */
export function fileHeaders(name: string, mediaType: string): Record<string, string> & { 'content-type': string } {
  return {
    'content-type': mediaType === 'text/plain' ? 'text/plain; charset=utf-8' : mediaType,
    'content-disposition': contentDisposition(inlineTypes.has(mediaType) ? 'inline' : 'attachment', name),
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
  }
}

/** RFC 6266: an ASCII name for old clients, and the full name in the encoding of RFC 8187. */
function contentDisposition(kind: 'inline' | 'attachment', name: string): string {
  const plain = name.replace(/[^\x20-\x7e]/g, '_').replace(/["\\%]/g, '_')
  const coded = encodeURIComponent(name).replace(/['()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)
  return `${kind}; filename="${plain}"${plain === name ? '' : `; filename*=UTF-8''${coded}`}`
}

/** The file name in the `Content-Disposition` of a request. */
export function fileNameOf(header: string | undefined): string | undefined {
  if (header === undefined) return undefined
  const coded = /;\s*filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i.exec(header)?.[1]
  if (coded !== undefined) {
    try {
      return decodeURIComponent(coded)
    } catch {
      // fall back to the plain name
    }
  }
  const [, quoted, bare] = /;\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(header) ?? []
  return quoted?.replace(/\\(.)/g, '$1') ?? bare
}
