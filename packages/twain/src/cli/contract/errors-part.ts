import { catalogue } from '#base'
import { code, numbered, table } from './markdown.ts'

export function errorsPart(): string {
  const codes = Object.entries(catalogue)
  const byStatus = new Map(successes)
  for (const [name, { status }] of codes) {
    const known = byStatus.get(status)
    byStatus.set(status, known === undefined ? code(name) : `${known}, ${code(name)}`)
  }
  const rows = [...byStatus].toSorted(([a], [b]) => a - b).map(([status, meaning]) => [String(status), meaning])
  return [
    'Body of a REST error: `application/problem+json` (RFC 9457; XML where XML was asked for):\n',
    '```json\n{"type": "about:blank", "title": "Validation failed", "status": 400, "detail": "title: is required.", "instance": "/…", "code": "VALIDATION_FAILED", "errors": [{"path": "title", "pointer": "/title", "code": "REQUIRED", "message": "is required."}]}\n```\n',
    '### 7.1 HTTP status codes\n',
    table(['Code', 'Meaning'], rows),
    'Codes of single places (`errors[].code`): `UNIQUE REFERENCE STATE VERSION IDEMPOTENCY REQUIRED TYPE RANGE LENGTH PATTERN UNKNOWN READONLY`.\n',
    '### 7.2 GraphQL errors\n',
    numbered([
      'A result has `errors` beside `data`; each has `message`, `locations`, `path` and in `extensions` the same `code` and the same list `errors` as REST. The status is then 200, or with `application/graphql-response+json` and a document that can not be executed 400.',
      'Client error policies: `none` (any error rejects), `ignore` (errors are left out), `all` (partial data and errors are both delivered).',
      'A field that its viewer may not read is `null` with a `FORBIDDEN` error at its path. A 500 shows an id and nothing else.',
    ]),
  ].join('\n')
}

/** What the catalogue, which is of failures, has not. */
const successes: [number, string][] = [
  [100, 'Continue: the body is wanted'],
  [200, 'OK'],
  [201, 'Created; `Location` says where'],
  [202, 'Accepted: a webhook is sent again'],
  [204, 'No Content: done, with no body'],
  [206, 'Partial Content: a range of a file'],
  [301, 'Moved Permanently (GET and HEAD)'],
  [304, 'Not Modified: the client has it'],
  [308, 'Permanent Redirect (other methods)'],
  [408, 'the request came too slowly'],
  [414, 'the URL is too long'],
  [416, 'no such range of the file'],
  [417, 'an `Expect` that is not known'],
  [431, 'the header is too large'],
]
