// Which requests may write. As nobody the console has no session that the server could keep from writing, so it holds these back itself.

export function mayWrite(url: string, { method = 'GET', body }: Pick<RequestInit, 'method' | 'body'>): boolean {
  if (method === 'GET') return false
  return !url.endsWith('/graphql') || typeof body !== 'string' || hasMutation(body)
}

/** Also true where a text in the document has the word. Tests the document, not its JSON, in which a line break is `\n`. */
function hasMutation(body: string): boolean {
  const { query } = JSON.parse(body) as { query?: unknown }
  return typeof query !== 'string' || /\bmutation\b/.test(query)
}
