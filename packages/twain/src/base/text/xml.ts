// Prints elements of XML 1.0. Representations of rows and problem details are made of them.

export const xmlDeclaration = '<?xml version="1.0" encoding="UTF-8"?>\n'

/** `inner` is XML already. */
export function xmlElement(name: string, inner: string): string {
  return inner === '' ? `<${name}/>` : `<${name}>${inner}</${name}>`
}

/** Text with a character that XML forbids is printed as base64. */
export function xmlText(name: string, value: unknown): string {
  const text = String(value)
  if (!forbiddenCharacter.test(text)) return xmlElement(name, escapeText(text))
  return `<${name} encoding="base64">${Buffer.from(text).toString('base64')}</${name}>`
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: XML 1.0 (2.2) excludes them
const forbiddenCharacter = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#13;' }

/** A parser would normalize a plain carriage return to a line feed. */
function escapeText(text: string): string {
  return text.replace(/[&<>\r]/g, (mark) => escapes[mark]!)
}
