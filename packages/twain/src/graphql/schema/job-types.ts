// The types and fields of background jobs, for administrators.

import { jobStates } from '#jobs'
import { defaultPageSize } from '#plan/build'
import type { JobAction } from './root-fields.ts'
import { block, described } from './sdl.ts'

export const jobTypes: readonly string[] = [
  described(
    'A background job of custom code.',
    block('type BackgroundJob', [
      'id: ID!',
      described('Its name in `jobs` of twain.config.ts.', 'name: String!'),
      described('Jobs of a key run one at a time.', 'key: String'),
      'state: BackgroundJobState!',
      'payload: JSON',
      described('Who enqueued it, as in the change log.', 'by: String'),
      'createdAt: DateTime!',
      described('When the next attempt may begin.', 'dueAt: DateTime!'),
      described('When the first attempt began.', 'startedAt: DateTime'),
      'finishedAt: DateTime',
      described('How many attempts began.', 'tries: Int!'),
      described('The last ones that ended.', 'attempts: [BackgroundJobAttempt!]!'),
    ]),
  ),
  described(
    'One attempt to run a job.',
    block('type BackgroundJobAttempt', [
      'at: DateTime!',
      described('The duration in milliseconds.', 'took: Int!'),
      described('Why the attempt failed.', 'error: String'),
    ]),
  ),
  described('FAILED: no more attempts.', block('enum BackgroundJobState', [...jobStates])),
]

export function jobField(name: string, action: JobAction): string {
  switch (action) {
    case 'one':
      return described(
        'The background job with this id; null if there is none. For the role admin.',
        `${name}(id: ID!): BackgroundJob`,
      )
    case 'list':
      return described(
        'Background jobs, the newest first. For the role admin.',
        `${name}(offset: Int! = 0, limit: Int! = ${defaultPageSize}, state: BackgroundJobState, name: String): [BackgroundJob!]!`,
      )
    case 'update':
      return described(
        'WAITING: tries a finished job again. CANCELLED: ends an unfinished one.',
        `${name}(id: ID!, state: BackgroundJobState!): BackgroundJob!`,
      )
  }
}
