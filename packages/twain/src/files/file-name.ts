// Sanitizes the file name and media type of an upload. The name is a label, never a path.

const maxNameLength = 255

/** Without folders, control characters and bidirectional marks; `file` if nothing is left. */
export function cleanName(sent: string | undefined): string {
  const last = (sent ?? '').toWellFormed().normalize('NFC').split(/[/\\]/).at(-1) ?? ''
  const plain = last.replace(/[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffd]/gu, '').trim()
  const short = shorten(plain)
  return /^\.*$/.test(short) ? 'file' : short
}

/** Shortens before the extension. */
function shorten(name: string): string {
  const letters = [...name]
  if (letters.length <= maxNameLength) return name
  const dot = letters.lastIndexOf('.')
  const extension = dot > 0 && letters.length - dot <= 20 ? letters.slice(dot) : []
  return [...letters.slice(0, maxNameLength - extension.length), ...extension].join('')
}

const unknownType = 'application/octet-stream'

/** `type/subtype` in lower case (RFC 9110, 8.3.1), without parameters. */
export function cleanMediaType(sent: string | undefined): string {
  const [type = ''] = (sent ?? '').split(';')
  const plain = type.trim().toLowerCase()
  return plain.length <= 127 && /^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+$/.test(plain) ? plain : unknownType
}
