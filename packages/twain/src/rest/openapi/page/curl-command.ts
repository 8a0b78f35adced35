// A request as a curl command, to copy.

/** The address of `twain dev`; page.js replaces it by that of the page. */
const exampleOrigin = 'http://localhost:4000'

export interface CurlRequest {
  method: string
  /** The path and the query. */
  target: string
  /** Sent as JSON; undefined: there is no body. */
  body?: unknown
  /** Sent as text; the body of an upload. */
  text?: string
  hasToken: boolean
  /** Prints the events of a stream as they arrive. */
  isStream?: boolean
}

export function curlCommand({ method, target, body, text, hasToken, isStream = false }: CurlRequest): string {
  const parts = [`curl ${isStream ? '-N ' : ''}${quoted(`${exampleOrigin}${target}`)}`]
  // A body makes curl send a POST.
  const implied = body === undefined && text === undefined ? 'GET' : 'POST'
  if (method !== implied) parts.push(`-X ${method}`)
  if (hasToken) parts.push('-H "authorization: Bearer $TOKEN"')
  if (body !== undefined) parts.push(`--json ${quoted(JSON.stringify(body))}`)
  if (text !== undefined) parts.push(`-H 'content-type: text/plain' -d ${quoted(text)}`)
  return parts.join(' \\\n  ')
}

/** Quotes for a POSIX shell: only the single quote is special. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
