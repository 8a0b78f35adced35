// `/background-jobs` in the document (docs/reference/rest.md, R200–R202).

import { jobStates } from '#jobs'
import type { Model } from '#model'
import type { Limits } from '#plan'
import { defaultPageSize } from '#plan/build'
import { exampleId, exampleTime } from '#plan/explain'
import { type NamedSchema, nullable, type OpenapiObject, schemaRef } from '../json-parts.ts'
import { jsonContent } from '../media.ts'
import { parameterRef } from '../parameters.ts'
import { commonFailures, failureRefs, type HeaderName, response } from '../responses.ts'

export const jobTag = { name: 'BackgroundJob', description: 'Background jobs of custom code. For the role admin.' }

const admin = { tags: [jobTag.name], security: [{ bearer: [] }] }
const failures = [400, 401, 403, 406, ...commonFailures] as const
const preconditions = (['If-Match', 'If-None-Match'] as const).map(parameterRef)
const notModified = response('The client has the current representation.', ['ETag', 'Cache-Control'])
const text: OpenapiObject = { type: 'string' }
const time: OpenapiObject = { type: 'string', format: 'date-time' }
const state: OpenapiObject = { type: 'string', enum: [...jobStates] }

export function jobPaths({ resources }: Model, limits: Limits): OpenapiObject {
  if (resources.length === 0) return {}
  const job = {
    id: exampleId,
    name: 'thumbnail',
    key: null,
    state: 'FAILED',
    payload: { file: exampleId },
    by: 'anonymous',
    createdAt: exampleTime,
    dueAt: exampleTime,
    startedAt: exampleTime,
    finishedAt: exampleTime,
    tries: 11,
    attempts: [{ at: exampleTime, took: 12, error: 'The file has no picture.' }],
  }
  const one = schemaRef('twain.backgroundJob')
  return {
    '/background-jobs': {
      get: {
        operationId: 'listBackgroundJobs',
        summary: 'List the background jobs',
        description: 'The newest first. Finished jobs are stored for `queue.retentionSeconds`.',
        ...admin,
        parameters: [
          query('state', 'Jobs in this state.', state),
          query('name', 'Jobs of this name.', text),
          query('limit', 'The maximum number of jobs.', {
            ...whole,
            ...(limits.page === 0 ? {} : { maximum: limits.page }),
            default: defaultPageSize,
          }),
          query('offset', 'The number of jobs to skip.', { ...whole, default: 0 }),
          ...preconditions,
        ],
        responses: {
          200: answer('The jobs.', { type: 'array', items: one }, [job], ['Link']),
          304: notModified,
          ...failureRefs([412, ...failures]),
        },
      },
    },
    '/background-jobs/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, description: 'The id of the job.', schema: text }],
      get: {
        operationId: 'getBackgroundJob',
        summary: 'Read a background job',
        description: '`attempts` has the last attempts, each with its error.',
        ...admin,
        parameters: preconditions,
        responses: { 200: answer('The job.', one, job), 304: notModified, ...failureRefs([404, 412, ...failures]) },
      },
      patch: {
        operationId: 'updateBackgroundJob',
        summary: 'Try a background job again, or cancel it',
        description: '`WAITING` tries a finished job again, with new retries. `CANCELLED` ends an unfinished one.',
        ...admin,
        requestBody: {
          required: true,
          content: Object.fromEntries(
            ['application/json', 'application/merge-patch+json'].map((type) => [
              type,
              { schema: schemaRef('twain.backgroundJobPatch'), examples: { request: { value: { state: 'WAITING' } } } },
            ]),
          ),
        },
        responses: {
          200: answer('The job.', one, { ...job, state: 'WAITING', finishedAt: null, tries: 0 }),
          ...failureRefs([404, 409, 413, 415, ...failures]),
        },
      },
    },
  }
}

const whole: OpenapiObject = { type: 'integer', minimum: 0 }

function query(name: string, description: string, schema: OpenapiObject): OpenapiObject {
  return { name, in: 'query', description, schema }
}

function answer(
  description: string,
  schema: OpenapiObject,
  example: OpenapiObject | OpenapiObject[],
  headers: HeaderName[] = [],
): OpenapiObject {
  const content = jsonContent(schema, { answer: { value: example } })
  return response(description, ['Cache-Control', 'ETag', ...headers], content)
}

const attempt = {
  at: time,
  took: { type: 'integer', description: 'Milliseconds.' },
  error: nullable({ type: 'string', description: 'Why the attempt failed.' }),
}
const job = {
  id: text,
  name: { type: 'string', description: 'Its name in `jobs` of twain.config.ts.' },
  key: nullable({ type: 'string', description: 'Jobs of a key run one at a time.' }),
  state,
  payload: { description: 'Any JSON.' },
  by: nullable({ type: 'string', description: 'Who enqueued it, as in the change log.' }),
  createdAt: time,
  dueAt: { ...time, description: 'When the next attempt may begin.' },
  startedAt: nullable({ ...time, description: 'When the first attempt began.' }),
  finishedAt: nullable(time),
  tries: { type: 'integer', description: 'How many attempts began.' },
  attempts: {
    type: 'array',
    description: 'The last ones that ended.',
    items: { type: 'object', properties: attempt, required: Object.keys(attempt) },
  },
}

export const jobSchemas: readonly NamedSchema[] = [
  ['twain.backgroundJob', { type: 'object', properties: job, required: Object.keys(job) }],
  [
    'twain.backgroundJobPatch',
    {
      type: 'object',
      properties: { state: { type: 'string', enum: ['WAITING', 'CANCELLED'] } },
      required: ['state'],
      additionalProperties: false,
    },
  ],
]
