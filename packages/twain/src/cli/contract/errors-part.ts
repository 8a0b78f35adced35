// The part `Errors` of the API contract.

import { catalogue } from '#base'
import type { Model } from '#model'
import { code, numbered, table } from './markdown.ts'

export function errorsPart({ account }: Model): string {
  const ofActing = account !== null && account.resource.actRules.length > 0 ? ' ACTING' : ''
  const codes = Object.entries(catalogue)
  const byStatus = new Map(otherStatuses)
  for (const [name, { status }] of codes) {
    const known = byStatus.get(status)
    byStatus.set(status, known === undefined ? code(name) : `${known}, ${code(name)}`)
  }
  const rows = [...byStatus].toSorted(([a], [b]) => a - b).map(([status, meaning]) => [String(status), meaning])
  return [
    'Body of a REST error: `application/problem+json` (RFC 9457), or `application/problem+xml` if `Accept` prefers XML:\n',
    '```json\n{"type": "/docs/errors/VALIDATION_FAILED", "title": "Validation failed", "status": 400, "detail": "title: is required.", "instance": "/…", "code": "VALIDATION_FAILED", "errors": [{"path": "title", "pointer": "/title", "code": "REQUIRED", "message": "is required."}]}\n```\n',
    '### 7.1 HTTP status codes\n',
    table(['Code', 'Meaning'], rows),
    `Codes of single mistakes (\`errors[].code\`): \`UNIQUE REFERENCE CASCADE STATE VERSION IDEMPOTENCY REQUIRED TYPE RANGE LENGTH PATTERN UNKNOWN READONLY WRONG${ofActing}\`.\n`,
    '### 7.2 GraphQL errors\n',
    numbered([
      'A result has `errors` beside `data`; each has `message`, `locations`, `path` and in `extensions` the same `code` and the same list `errors` as REST. The status is 200; it is 400 for `application/graphql-response+json` if the document cannot be executed, and 503 with `Retry-After` if the server was unavailable for every field.',
      'Client error policies: `none` (any error rejects), `ignore` (errors are left out), `all` (partial data and errors are both delivered).',
      'A field that the viewer may not read is `null` with a `FORBIDDEN` error at its path. A 500 shows only an id; the log of the server has the details.',
    ]),
  ].join('\n')
}

/** Statuses without a code of the catalogue. */
const otherStatuses: [number, string][] = [
  [100, 'Continue: send the body'],
  [200, 'OK'],
  [201, 'Created; `Location` is the path of the row, unless the request created several'],
  [202, 'Accepted: the server redelivers a webhook, or goes on with a large delete (`Prefer: respond-async`)'],
  [204, 'No Content: success without a body'],
  [206, 'Partial Content: a range of a file'],
  [301, 'Moved Permanently (GET and HEAD)'],
  [304, 'Not Modified: the cached representation is current'],
  [308, 'Permanent Redirect (other methods)'],
  [408, 'the request arrived too slowly'],
  [414, 'the URL is too long'],
  [416, 'the file has no such range'],
  [417, 'an unknown `Expect`'],
  [431, 'the header is too large'],
  [501, 'a method that no path has'],
]
