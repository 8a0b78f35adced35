// The nodes, and the load, the slow queries and the log of one in the document (docs/reference/rest.md, R330–R335).

import type { OpenapiObject } from '../json-parts.ts'
import { jsonContent } from '../media.ts'
import { commonFailures, failureRefs, response } from '../responses.ts'

const security = [{ bearer: [] }]
const text: OpenapiObject = { type: 'string' }
const count: OpenapiObject = { type: 'integer', minimum: 0 }
const number: OpenapiObject = { type: 'number' }
const time: OpenapiObject = { type: 'string', format: 'date-time' }
const orNull = ({ type }: OpenapiObject): OpenapiObject => ({ type: [type as string, 'null'] })

function object(properties: Record<string, OpenapiObject>): OpenapiObject {
  return { type: 'object', properties, required: Object.keys(properties) }
}

function list(items: OpenapiObject): OpenapiObject {
  return { type: 'array', items }
}

const figures = {
  requests: count,
  errors: { ...count, description: 'Answers with a status from 500 on; of operations those with errors.' },
  refused: { ...count, description: 'Answers with a status from 400 to 499.' },
  p50: {
    ...orNull(number),
    description: 'Half of the requests took at most so many milliseconds. Null: there were none.',
  },
  p95: orNull(number),
  p99: orNull(number),
}

const series = object({ id: { ...text, description: '`GET /posts/{id}`, or `query posts`.' }, ...figures })

const serving = object({
  node: { ...text, description: 'The host and the process.' },
  answers: { type: 'boolean', description: 'Whether it is the node that answers.' },
  startedAt: time,
  seenAt: { ...time, description: 'When it last told that it serves.' },
  memoryBytes: number,
  requests: { ...orNull(count), description: 'Of the last minute. Null: it does not count its load.' },
  errors: { ...orNull(count), description: 'Answers of the last minute with a status from 500 on.' },
})

const load = object({
  node: { ...text, description: 'The host and the process.' },
  startedAt: time,
  memoryBytes: number,
  points: list(object({ time, seconds: number, ...figures })),
  routes: list(series),
  operations: list(series),
  caches: list(object({ name: text, entries: number, bytes: number, hits: number, misses: number })),
})

const slowQuery = object({
  node: { ...text, description: 'The node that ran it.' },
  shape: { ...text, description: 'What is read or written, without values.' },
  sql: text,
  hint: { ...orNull(text), description: 'What would help, such as an index.' },
  count,
  maxMs: number,
  lastMs: number,
  lastAt: time,
  plan: { ...orNull(text), description: 'How the database would run it.' },
})

const statement = object({
  request: { ...text, description: 'The `x-request-id` of the answer.' },
  shape: { ...text, description: 'What is read or written, without values.' },
  sql: text,
  ms: number,
  cached: { type: 'boolean', description: 'Whether the result came from the result cache.' },
  plan: { ...orNull(text), description: 'How the database would run it.' },
})

const log = object({
  node: { ...text, description: 'The node whose log it is.' },
  entries: list(object({ time, level: text, message: text, fields: { type: 'object' } })),
  endCursor: { ...text, description: 'For `after`.' },
  missed: { type: 'boolean', description: 'Whether entries after the cursor are lost.' },
  hasMore: { type: 'boolean' },
})

const parameter = (name: string, schema: OpenapiObject, description: string): OpenapiObject => ({
  name,
  in: 'query',
  description,
  schema,
})

/** `tag` is that of the paths that every service has. */
export function monitorPaths(tag: string): Record<string, OpenapiObject> {
  const get = (
    operationId: string,
    summary: string,
    description: string,
    schema: OpenapiObject,
    parameters: OpenapiObject[],
  ): OpenapiObject => ({
    get: {
      operationId,
      tags: [tag],
      summary,
      description: `${description} For the role admin.`,
      security,
      ...(parameters.length === 0 ? {} : { parameters }),
      responses: {
        200: response('The answer.', ['Cache-Control', 'Preference-Applied'], jsonContent(schema)),
        ...failureRefs([400, 401, 403, 404, 406, ...commonFailures]),
      },
    },
  })
  return {
    '/metrics/nodes': get('getNodes', 'The nodes that serve', 'From the same database.', list(serving), []),
    '/metrics/load': get('getLoad', 'The load of this node', 'In steps of ten seconds.', load, [
      parameter('minutes', { type: 'integer', minimum: 1, maximum: 60, default: 60 }, 'The last minutes.'),
      parameter('of', text, 'The points of one route or operation, by its id; default: of all requests.'),
    ]),
    '/metrics/slow-queries': get('getSlowQueries', 'The slowest statements', 'Since the start.', list(slowQuery), []),
    '/metrics/statements': get(
      'getStatements',
      'The statements of one request',
      'Of a request with `Prefer: statements`.',
      list(statement),
      [parameter('request', text, 'The `x-request-id` of its answer; default: the last one.')],
    ),
    '/metrics/log': get(
      'getLog',
      'The tail of the log',
      'The last entries of this node. `Prefer: wait=20` waits for entries after the cursor.',
      log,
      [
        parameter('first', { type: 'integer', minimum: 1, maximum: 200, default: 100 }, 'At most so many entries.'),
        parameter(
          'after',
          text,
          'An `endCursor`, or one of each node, separated by commas; default: the newest entries.',
        ),
        parameter('level', { type: 'string', enum: ['info', 'warn', 'error'], default: 'info' }, 'The lowest level.'),
        parameter('words', text, 'Words that the entry must have.'),
        {
          ...parameter('Prefer', text, '`wait=20` waits up to 20 seconds for entries after the cursor.'),
          in: 'header',
        },
      ],
    ),
  }
}
