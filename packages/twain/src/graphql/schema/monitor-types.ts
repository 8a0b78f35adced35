// The types of `serviceNodes`, `serviceLoad`, `serviceSlowQueries`, `serviceStatements` and `serviceLog`, and these fields.

import { monitorFields, monitorTypes } from '#model/names'
import { block, described } from './sdl.ts'

const { node, load, point, series, cache, slowQuery, statement, log, entry } = monitorTypes

const figures = [
  'requests: Int!',
  described('Answers with a status from 500 on; of operations those with errors.', 'errors: Int!'),
  described('Answers with a status from 400 to 499.', 'refused: Int!'),
  described('Half of the requests took at most so many milliseconds. Null: there were none.', 'p50: Float'),
  'p95: Float',
  'p99: Float',
]

export const monitorTypesSdl: readonly string[] = [
  described(
    'A node that serves from the same database.',
    block(`type ${node}`, [
      described('Its host and process.', 'node: String!'),
      described('Whether it is the node that answers.', 'answers: Boolean!'),
      'startedAt: DateTime!',
      described('When it last told that it serves.', 'seenAt: DateTime!'),
      described('Resident memory of the process.', 'memoryBytes: Float!'),
      described('Of the last minute. Null: it does not count its load.', 'requests: Int'),
      described('Answers of the last minute with a status from 500 on.', 'errors: Int'),
    ]),
  ),
  described(
    'The load of the node that answers.',
    block(`type ${load}`, [
      described('Its host and process.', 'node: String!'),
      'startedAt: DateTime!',
      described('Resident memory of the process.', 'memoryBytes: Float!'),
      described('In steps of ten seconds, the oldest first.', `points: [${point}!]!`),
      described('The busiest first.', `routes: [${series}!]!`),
      described('The busiest first.', `operations: [${series}!]!`),
      `caches: [${cache}!]!`,
    ]),
  ),
  block(`type ${point}`, [described('Its end.', 'time: DateTime!'), 'seconds: Float!', ...figures]),
  block(`type ${series}`, [described('`GET /posts/{id}`, or `query posts`.', 'id: String!'), ...figures]),
  block(`type ${cache}`, [
    'name: String!',
    'entries: Float!',
    'bytes: Float!',
    described('Since the start, as `misses`.', 'hits: Float!'),
    'misses: Float!',
  ]),
  described(
    'A statement that took at least `log.slowQueryMs`.',
    block(`type ${slowQuery}`, [
      described('The node that ran it.', 'node: String!'),
      described('What is read or written, without values.', 'shape: String!'),
      'sql: String!',
      described('What would help, such as an index; null: nothing is known.', 'hint: String'),
      described('How often it was slow.', 'count: Int!'),
      'maxMs: Float!',
      'lastMs: Float!',
      'lastAt: DateTime!',
      described('How the database would run it; null: it can not tell.', 'plan: String'),
    ]),
  ),
  described(
    'A statement of one request.',
    block(`type ${statement}`, [
      described('The `x-request-id` of its answer.', 'request: String!'),
      described('What is read or written, without values.', 'shape: String!'),
      'sql: String!',
      'ms: Float!',
      described('Whether the result came from the result cache.', 'cached: Boolean!'),
      described('How the database would run it; null: it can not tell.', 'plan: String'),
    ]),
  ),
  block(`type ${log}`, [
    described('The node whose log it is.', 'node: String!'),
    described('The oldest first.', `entries: [${entry}!]!`),
    described('For `after`.', 'endCursor: String!'),
    described('Whether entries after the cursor are lost.', 'missed: Boolean!'),
    'hasMore: Boolean!',
  ]),
  block(`type ${entry}`, [
    'time: DateTime!',
    described('`info`, `warn` or `error`.', 'level: String!'),
    'message: String!',
    'fields: JSON!',
  ]),
]

export const monitorRootFields: readonly string[] = [
  described(
    'The nodes that serve from the same database, by name. For the role admin.',
    `${monitorFields.nodes}: [${node}!]!`,
  ),
  described(
    'Requests, errors and durations of the last minutes. For the role admin.',
    `${monitorFields.load}(${[
      described('At most 60.', 'minutes: Int! = 60'),
      described('The points of one series, by its id; default: of all requests.', 'of: String'),
    ].join('\n')}): ${load}!`,
  ),
  described(
    'The slowest statements since the start, the slowest first. For the role admin.',
    `${monitorFields.slowQueries}: [${slowQuery}!]!`,
  ),
  described(
    'The statements of a request with `Prefer: statements`. For the role admin.',
    `${monitorFields.statements}(${described('The `x-request-id` of its answer; default: the last one.', 'request: String')}): [${statement}!]!`,
  ),
  described(
    'The last entries of the log. For the role admin.',
    `${monitorFields.log}(${[
      described('At most 200.', 'first: Int! = 100'),
      described(
        'An `endCursor`, or one of each node, separated by commas; default: the newest entries.',
        'after: String',
      ),
      described('The lowest level: `info`, `warn` or `error`.', 'level: String! = "info"'),
      described('Words that the entry must have.', 'words: String'),
    ].join('\n')}): ${log}!`,
  ),
]
