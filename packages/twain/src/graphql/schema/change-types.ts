// What a contract with resources has beside them: the feed of their changes, and how to ask for it.

import { defaultPageSize } from '#plan/build'
import { block, described } from './sdl.ts'

export const changeTypes: readonly string[] = [
  described(
    'Something that has happened to a row, as a CloudEvent (CloudEvents 1.0).',
    block('type Change', [
      described('Always `1.0`.', 'specversion: String!'),
      described('The cursor of the change: it resumes everywhere.', 'id: ID!'),
      described('The path of the collection.', 'source: String!'),
      described('`post.created`, `post.updated` or `post.deleted`.', 'type: String!'),
      described('The id of the row.', 'subject: ID!'),
      described('When it happened.', 'time: DateTime!'),
      described('The version of the row.', 'version: Int!'),
      described('The row as of the change, less what the viewer may not see; of a delete its id.', 'data: JSON!'),
    ]),
  ),
  block('type ChangeConnection', ['edges: [ChangeEdge!]!', 'pageInfo: PageInfo!']),
  block('type ChangeEdge', ['node: Change!', 'cursor: String!']),
]

export const changesField: string = described(
  'What has happened, in the order of the log, as far as the viewer may see it.',
  `changes(${[
    described('How many changes to give at most.', `first: Int! = ${defaultPageSize}`),
    described(
      'The cursor behind which to begin, or `now`; the oldest change that is kept when left out.',
      'after: String',
    ),
    described('Only changes of the rows at this path: `posts`.', 'resource: String'),
  ].join('\n')}): ChangeConnection!`,
)
