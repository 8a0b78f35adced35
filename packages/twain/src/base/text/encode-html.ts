// Text for a place in HTML, in an element or in a quoted attribute: whatever it holds, it stays text.

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

export function encodeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character]!)
}
