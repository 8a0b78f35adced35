// The paths of the document for generators of clients: those of the full document, with one shape for each request and each
// answer (decision 55). What they leave out stays valid in requests, and the full document has it.

import { isDeepStrictEqual } from 'node:util'
import { isRecord } from '#base'
import { isKeyPath } from '../../request/path-key.ts'
import { type OpenapiObject, type OpenapiValue, optionalToken, responseRef } from '../json-parts.ts'
import { oneShape } from './one-shape.ts'

/** The one response of all failures. */
export const failureName = 'problem'

export function clientPaths(paths: OpenapiObject): OpenapiObject {
  const entries = Object.entries(paths).map(([name, path]) => {
    const { parameters, ...all } = path as OpenapiObject
    // Clients read by a unique key, and find the id for writes in the row: each key of each type would bring three more writes,
    // which the full document has.
    const operations = isKeyPath(name) ? { get: all.get } : all
    const described = mapMembers(operations, (operation) => clientOperation(operation as OpenapiObject))
    return [name, { parameters, ...described }] as const
  })
  return Object.fromEntries(entries)
}

function clientOperation({ parameters, requestBody, responses, security, ...rest }: OpenapiObject): OpenapiObject {
  const kept = ((parameters ?? []) as OpenapiObject[]).filter(isForClients)
  return {
    ...rest,
    security: isDeepStrictEqual(security, optionalToken) ? undefined : security,
    parameters: kept.length === 0 ? undefined : kept,
    requestBody: requestBody === undefined ? undefined : clientBody(requestBody as OpenapiObject),
    responses: clientResponses(responses as OpenapiObject),
  }
}

/** The words of a type among its parameters. All others are filters of single fields, which are in `where` too, or `fields`, which
 *  changes the shape of the answer. */
const typeWords: ReadonlySet<string> = new Set(['where', 'sort', 'search'])

/** Pages of rows by cursor have another shape; a history has no other pages. Preconditions of reads make answers without a body. */
const sharedParameters: ReadonlySet<string> = new Set([
  'id',
  'bulk.limit',
  'bulk.all',
  'bulk.dryRun',
  'limit',
  'offset',
  'deleted',
  'purge',
  'history.first',
  'history.after',
  'Prefer',
  'write.If-Match',
  'Idempotency-Key',
])

function isForClients({ $ref, in: place, name }: OpenapiObject): boolean {
  if (typeof $ref !== 'string') return place !== 'header' && name !== 'ticket'
  const component = $ref.slice($ref.lastIndexOf('/') + 1)
  const [, word, ...more] = component.split('.')
  return sharedParameters.has(component) || (word !== undefined && more.length === 0 && typeWords.has(word))
}

function clientBody({ content, ...rest }: OpenapiObject): OpenapiObject {
  return { ...rest, content: clientContent(content as OpenapiObject) }
}

/** The successes, and one response for all failures. A delete in the background and a range of a file need a header that only
 *  the full document has. */
function clientResponses(responses: OpenapiObject): OpenapiObject {
  const successes = Object.entries(responses).filter(
    ([status]) =>
      status.startsWith('2') &&
      status !== '206' &&
      !(status === '202' && (responses[200] ?? responses[204]) !== undefined),
  )
  return { ...mapMembers(Object.fromEntries(successes), clientResponse), default: responseRef(failureName) }
}

/** Generators make nothing of headers. */
function clientResponse(response: OpenapiValue | undefined): OpenapiObject {
  const { description, content } = response as OpenapiObject
  return { description, content: content === undefined ? undefined : clientContent(content as OpenapiObject) }
}

/** The media type of any bytes: generators have no use for a range of types. */
const bytes = 'application/octet-stream'

/** One media type: JSON, a form, or the only one that there is. */
function clientContent(content: OpenapiObject): OpenapiObject {
  const types = Object.keys(content)
  const type = ['application/json', 'multipart/form-data'].find((one) => types.includes(one)) ?? types[0]!
  const { schema } = content[type] as OpenapiObject
  return {
    [type === '*/*' ? bytes : type]: { schema: isRecord(schema) ? oneShape(schema as OpenapiObject) : undefined },
  }
}

function mapMembers(
  members: OpenapiObject,
  change: (member: OpenapiValue | undefined) => OpenapiObject,
): OpenapiObject {
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, change(member)]))
}
