// What each code of the catalogue means and what a client can do about it: the text of `/docs/errors/CODE`, which the `type` of
// a problem document names. docs/reference/errors.md has the same sentences. `…` is code.

import type { Code } from './catalogue.ts'

export interface Explanation {
  /** When the server answers with this code. */
  when: string
  /** What the client or its developer does next. */
  next: string
}

export const explanations: Readonly<Record<Code, Explanation>> = {
  BAD_REQUEST: {
    when: 'The server cannot parse the request.',
    next: 'Correct the syntax of the URL, the header or the body; `detail` says where parsing stopped.',
  },
  VALIDATION_FAILED: {
    when: 'The request parses, but some of it is wrong; `errors` lists every mistake.',
    next: 'Correct every place that `errors` lists: `path` and `pointer` name the place, `code` says what is wrong.',
  },
  GRAPHQL_PARSE_FAILED: {
    when: 'The document is not GraphQL, or has more tokens than `limits.documentTokens`.',
    next: 'Correct the document at the line and column of `locations`, or split it.',
  },
  GRAPHQL_VALIDATION_FAILED: {
    when: 'The document does not match the schema.',
    next: 'Compare the names and types of the document with the schema: the query page of the console (`/console/query`) shows it.',
  },
  PERSISTED_QUERY_NOT_FOUND: {
    when: 'The request has only the hash of a document, and this server does not know the hash.',
    next: 'Send the request again with the text of the document.',
  },
  QUERY_TOO_DEEP: {
    when: 'The query nests deeper than `limits.depth`.',
    next: 'Split the query, or read the inner rows with a request of their own.',
  },
  QUERY_TOO_COSTLY: {
    when: 'The query costs more than `limits.cost`, or its response would exceed 16 MiB.',
    next: 'Ask for smaller pages or fewer fields, or split the query.',
  },
  UNAUTHENTICATED: {
    when: 'The request needs a token, or its token is not valid.',
    next: 'Sign in or refresh the session, and send the new token as `Authorization: Bearer …`.',
  },
  REAUTHENTICATION_REQUIRED: {
    when: 'A viewer changes their own password or login, or deletes their own account, without the right current password or a recent sign-in.',
    next: 'Ask for the current password and send it as `currentPassword`, or let the user sign in again. The detail is `WRONG` if the password was wrong.',
  },
  FORBIDDEN: {
    when: 'The rules refuse the request for this viewer.',
    next: 'Use an account with the permission. The log of the server names the rules that would allow the request.',
  },
  NOT_FOUND: {
    when: 'There is no such path, or no row that this viewer can read.',
    next: 'Check the path and the id. A row that exists may be hidden from this viewer.',
  },
  METHOD_NOT_ALLOWED: {
    when: 'The path has other methods; `Allow` lists them.',
    next: 'Use a method that the header `Allow` lists.',
  },
  NOT_ACCEPTABLE: {
    when: 'The server has no representation that `Accept` allows.',
    next: 'Send `Accept: application/json`, or leave `Accept` out.',
  },
  CONFLICT: {
    when: 'The data does not allow the write.',
    next: 'Read `errors`: a value is taken, a reference leads nowhere, or the state of the row does not allow the write.',
  },
  GONE: {
    when: 'The change log no longer has the entries after this cursor, or has lost the entry of this cursor; or it still has the delete of the id that a write would create; or it does not have the version that a reversion names.',
    next: 'Start again with a fresh cursor and all rows. To create a row, use a new id.',
  },
  PRECONDITION_FAILED: {
    when: 'A precondition of the request is false, such as the expected version of the row.',
    next: 'Read the row again, apply the change to the new version, and retry.',
  },
  PAYLOAD_TOO_LARGE: {
    when: 'The body is larger than `limits.bodyBytes` (with `Prefer: handling=lenient`, than `limits.importBytes`), a file larger than `limits.uploadBytes`, or a list of new rows longer than `limits.bulk`.',
    next: 'Send less at once, or raise the limit.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    when: 'The server does not accept the media type or charset of the body.',
    next: 'Send JSON in UTF-8 with `Content-Type: application/json`.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    when: 'The `Idempotency-Key` was used for another request.',
    next: 'Use a new key for each new request.',
  },
  TOO_MANY_REQUESTS: {
    when: 'More than `limits.requestsPerMinute`, too many wrong passwords, or too many codes.',
    next: 'Wait as many seconds as `Retry-After` says, then send the request again.',
  },
  INTERNAL: {
    when: 'A bug in Twain or in custom code; the response shows only an id.',
    next: 'Report the id. The server log has the details under it.',
  },
  UNAVAILABLE: {
    when: 'The server cannot answer now.',
    next: 'Wait as many seconds as `Retry-After` says, then send the request again. The server may have made a write; if it does not know, `detail` or `message` says so. Send writes with an idempotency key, so that a retry is safe.',
  },
}
