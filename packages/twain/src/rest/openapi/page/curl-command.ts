// A curl command for an operation, to copy.

import { exampleId } from '#plan/explain'
import type { ParameterView } from './document-view.ts'

interface CurlRequest {
  method: string
  path: string
  parameters: readonly ParameterView[]
  body: unknown

  needsToken: boolean
}

/** The address of `twain dev`; page.js replaces it by that of the page. */
const origin = 'http://localhost:4000'

export function curlCommand({ method, path, parameters, body, needsToken: isClosed }: CurlRequest): string {
  const query = parameters.filter(
    ({ name, in: place, required }) => place === 'query' && (required || name === 'limit'),
  )
  const search = query.map(({ name, example }) => `${name}=${encodeURIComponent(String(example ?? 3))}`).join('&')
  const target = path.replace(/\{\w+\}/g, exampleId) + (search === '' ? '' : `?${search}`)
  const parts = [`curl ${quoted(`${origin}${target}`)}`]
  if (method !== 'GET' && method !== 'POST') parts.push(`-X ${method}`)
  if (isClosed) parts.push(`-H ${quoted('authorization: Bearer …')}`)
  if (body !== undefined) parts.push(`--json ${quoted(JSON.stringify(body))}`)
  return parts.join(' \\\n  ')
}

/** Quotes for a POSIX shell: only the single quote is special. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
