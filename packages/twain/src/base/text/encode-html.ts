// Encodes text for HTML, inside an element or a quoted attribute.

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

export function encodeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character]!)
}
