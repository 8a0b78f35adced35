// What an uploader says of a file, made harmless: its name is a label and never a path, its media type is one or none.

const longestName = 255

/** Without folders, control characters and what turns the direction of text; `file` where nothing is left. */
export function cleanName(said: string | undefined): string {
  const last = (said ?? '').toWellFormed().normalize('NFC').split(/[/\\]/).at(-1) ?? ''
  const plain = last.replace(/[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffd]/gu, '').trim()
  const short = shorten(plain)
  return /^\.*$/.test(short) ? 'file' : short
}

/** From the middle, so that the ending stays. */
function shorten(name: string): string {
  const letters = [...name]
  if (letters.length <= longestName) return name
  const dot = letters.lastIndexOf('.')
  const ending = dot > 0 && letters.length - dot <= 20 ? letters.slice(dot) : []
  return [...letters.slice(0, longestName - ending.length), ...ending].join('')
}

const unknownType = 'application/octet-stream'

/** `type/subtype` in small letters (RFC 9110, 8.3.1); its parameters are not kept. */
export function cleanMediaType(said: string | undefined): string {
  const [type = ''] = (said ?? '').split(';')
  const plain = type.trim().toLowerCase()
  return plain.length <= 127 && /^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+$/.test(plain) ? plain : unknownType
}
