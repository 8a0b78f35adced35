// The format of an image by its first bytes. The media type of an upload is only what the client says.

type SourceFormat = 'jpeg' | 'png' | 'webp' | 'gif' | 'heif'

/** Null: no format from which variants are made. AVIF is `heif`, as `sharp` calls it. */
export function imageFormatOf(bytes: Uint8Array): SourceFormat | null {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 32)).toString('latin1')
  if (head.startsWith('\xff\xd8\xff')) return 'jpeg'
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'png'
  if (/^GIF8[79]a/.test(head)) return 'gif'
  if (/^RIFF.{4}WEBP/s.test(head)) return 'webp'
  return /^.{4}ftyp(?:avif|avis)/s.test(head) ? 'heif' : null
}
