// Background jobs of custom code: enqueued with the transaction that causes them, run at least once, retried, limited in time.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { testedStore } from '../../packages/twain/src/store/test-place.fixture.ts'
import { awaitThat, type JobContext, JobPlace, type JobService, type RunJob } from './job-place.ts'

const sdl = `
  type Part @allow { id: ID! name: String! stock: Int! @default(value: 0) }
  type Made @allow { id: ID! name: String! }
  type Mutation { order(name: String!, fail: Boolean): String @allow  enqueue(name: String!, key: String, at: String): String @allow }
`

const code = (options = '') => `
const run = (payload, context) => globalThis.runJob(payload, context)
export default {
  after: {
    Part: async ({ row, kind }, { enqueue }) => {
      if (kind !== 'created') return
      await enqueue('make', { name: row.name }, { key: row.name })
      if (row.name === 'refused') throw new Error('refused')
    },
  },
  on: { Made: async ({ row }, { enqueue }) => { if (row?.name === 'told') await enqueue('follow', row.id) } },
  resolvers: {
    Mutation: {
      order: ({ name, fail }, { transaction }) => transaction(async (tx) => {
        const id = await tx.enqueue('make', { name })
        if (fail) throw new Error('no')
        return id
      }),
      enqueue: ({ name, key, at }, { enqueue }) => enqueue(name, { name }, { ...(key && { key }), ...(at && { at }) }),
    },
  },
  jobs: { make: { run, ${options} }, follow: { run } },
}`

test('a job of a hook or a transaction exists if that commits, and is attributed', async (t) => {
  const calls: unknown[] = []
  const service = await open(t, async (payload, { job, system }) => {
    calls.push(payload)
    if (job.name === 'make') await system.write.Made!.create(payload as object)
  })
  await service.succeed('POST', '/parts', { name: 'a' })
  assert.equal((await service.send('POST', '/parts', { name: 'refused' })).status, 500)
  const order = (name: string, fail: boolean) =>
    service.send('POST', '/graphql', { query: `mutation { order(name: "${name}", fail: ${fail}) }` })
  assert.equal(typeof (await order('b', false)).body.data.order, 'string')
  assert.ok((await order('never', true)).body.errors)
  const made = () => service.succeed('GET', '/mades')
  await awaitThat(async () => (await made()).length === 2)
  await service.succeed('POST', '/parts', { name: 'last' })
  await awaitThat(async () => (await made()).length === 3)
  assert.deepEqual(calls, [{ name: 'a' }, { name: 'b' }, { name: 'last' }])
  const authors = async () => {
    const query = '{ changes(first: 50, resource: "mades") { edges { node { by } } } }'
    const { changes } = (await service.send('POST', '/graphql', { query }, {}, true)).body.data
    return changes.edges.map(({ node }: { node: { by: string } }) => node.by)
  }
  await awaitThat(async () => (await authors()).length === 3)
  assert.deepEqual(await authors(), ['job:make', 'job:make', 'job:make'])
})

test('custom operations, change handlers and jobs enqueue jobs; a job gets its id and attempt', async (t) => {
  const calls: JobContext['job'][] = []
  const service = await open(t, async (_payload, { job, enqueue }) => {
    calls.push(job)
    if (job.name === 'make') await enqueue('follow')
  })
  const id = await enqueue(service, 'make')
  await service.succeed('POST', '/mades', { name: 'told' })
  await awaitThat(() => calls.length === 3)
  assert.deepEqual(calls[0], { id, name: 'make', key: null, attempt: 1 })
  assert.deepEqual(
    calls.slice(1).map(({ name }) => name),
    ['follow', 'follow'],
  )
})

test('an operation with an Idempotency-Key enqueues its job once', async (t) => {
  let calls = 0
  const service = await open(t, () => void calls++)
  const send = () =>
    service.send('POST', '/graphql', { query: 'mutation { enqueue(name: "make") }' }, { 'idempotency-key': '"k"' })
  const first = await send()
  assert.deepEqual((await send()).body, first.body)
  await enqueue(service, 'follow')
  await awaitThat(() => calls === 2)
  await sleep(50)
  assert.equal(calls, 2)
})

test('a job waits for its time; of a key one waits, and one runs at a time', async (t) => {
  const calls: string[] = []
  const gate = Promise.withResolvers<void>()
  const service = await open(t, async (_payload, { job }) => {
    calls.push(job.id)
    if (calls.length === 1) await gate.promise
  })
  const soon = await enqueue(service, 'follow', { at: new Date(Date.now() + 3_600_000).toISOString() })
  const first = await enqueue(service, 'make', { key: 'k' })
  await awaitThat(() => calls.length === 1)
  const second = await enqueue(service, 'make', { key: 'k' })
  assert.equal(await enqueue(service, 'make', { key: 'k' }), second)
  const other = await enqueue(service, 'make', { key: 'other' })
  await awaitThat(() => calls.includes(other))
  assert.deepEqual(calls, [first, other])
  gate.resolve()
  await awaitThat(() => calls.includes(second))
  assert.ok(!calls.includes(soon))
  const refused = await service.send('POST', '/graphql', { query: 'mutation { enqueue(name: "mke") }' })
  assert.ok(refused.body.errors)
})

test('a failed job is tried again, and given up after its retries', async (t) => {
  const attempts: number[] = []
  const clock = { now: Date.now() }
  const entries: string[] = []
  const note = (_fields: object, message: string) => void entries.push(message)
  const service = await open(
    t,
    (_payload, { job }) => {
      if (job.name === 'follow') return
      attempts.push(job.attempt)
      throw new Error(`attempt ${job.attempt}`)
    },
    { clock: () => clock.now, log: { info() {}, warn: note, error: note } },
    'retries: 2',
  )
  await enqueue(service, 'make')
  await passTime(service, clock, () => entries.length === 3)
  assert.deepEqual(attempts, [1, 2, 3])
  assert.deepEqual(entries, ['job failed; retrying', 'job failed; retrying', 'job failed; giving up'])
})

test('an attempt that exceeds its time limit gets its signal and counts as failed', async (t) => {
  let aborted = false
  const done: number[] = []
  const clock = { now: Date.now() }
  const service = await open(
    t,
    async (_payload, { job, signal }) => {
      if (job.name === 'follow') return
      if (job.attempt > 1) {
        done.push(job.attempt)
        return
      }
      signal.addEventListener('abort', () => (aborted = true))
      await new Promise(() => {}) // it ignores its signal
    },
    { clock: () => clock.now },
    "timeLimit: '1s'",
  )
  await enqueue(service, 'make')
  await awaitThat(() => aborted)
  await passTime(service, clock, () => done.length === 1)
  assert.deepEqual(done, [2])
})

test('when the server stops, a running job gets its signal; the next start runs it again as the same attempt', async (t) => {
  const place = await JobPlace.make(t, sdl, code())
  const attempts: number[] = []
  const first = await place.open(async (_payload, { job, signal }) => {
    attempts.push(job.attempt)
    if (attempts.length > 1) return
    await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  })
  await enqueue(first, 'make')
  await awaitThat(() => attempts.length === 1)
  await first.close()
  await place.open()
  await awaitThat(() => attempts.length === 2)
  assert.deepEqual(attempts, [1, 1])
})

test('nodes share the jobs, and leave those that they do not know to others', async (t) => {
  if (testedStore === 'sqlite') return t.skip('one file has one server')
  const place = await JobPlace.make(t, sdl, code())
  const calls: string[] = []
  const run: RunJob = (_payload, { job }) => void calls.push(job.id)
  const nodes = [await place.open(run), await place.open(run)]
  const ids = await Promise.all(Array.from({ length: 40 }, (_, n) => enqueue(nodes[n % 2]!, 'make')))
  await awaitThat(() => calls.length === 40)
  assert.deepEqual(calls.toSorted(), ids.toSorted(), 'each once')
  for (const node of nodes) await node.close()
  const onlyEnqueues = await place.open(run, { queue: { concurrency: 0, leaseSeconds: 30, retentionSeconds: 60 } })
  const id = await enqueue(onlyEnqueues, 'make')
  const warnings: object[] = []
  place.setCode('export default { resolvers: { Mutation: { order: () => null, enqueue: () => null } } }')
  await place.open(run, { log: { info() {}, error() {}, warn: (fields: object) => void warnings.push(fields) } })
  assert.deepEqual(warnings, [{ jobs: ['make'] }])
  place.setCode(code())
  await place.open(run)
  await awaitThat(() => calls.includes(id))
})

test('R200, R201, R202 operators list, retry and cancel jobs with both APIs and the command line', async (t) => {
  const place = await JobPlace.make(t, sdl, code('retries: 0'))
  let isBroken = true
  const service = await place.open((payload) => {
    if (isBroken) throw new Error(`no ${(payload as { name: string }).name}`)
  })
  const id = await enqueue(service, 'make', { key: 'k' })
  const later = await enqueue(service, 'follow', { at: '2099-01-01T00:00:00Z' })
  const list = async (query = '') => (await service.send('GET', `/background-jobs${query}`, undefined, {}, true)).body
  await awaitThat(async () => (await list('?state=FAILED')).length === 1)
  const [failed] = await list('?state=FAILED&name=make')
  const { createdAt, startedAt, finishedAt, dueAt, attempts, ...rest } = failed
  assert.deepEqual(rest, {
    id,
    name: 'make',
    key: 'k',
    state: 'FAILED',
    payload: { name: 'make' },
    by: 'anonymous',
    tries: 1,
  })
  assert.deepEqual([attempts.length, attempts[0].error], [1, 'no make'])
  assert.ok(createdAt <= startedAt && startedAt <= finishedAt && dueAt <= startedAt)
  assert.deepEqual(
    (await list('?limit=1')).map((job: { id: string }) => job.id),
    [later],
  )
  const page = await service.send('GET', '/background-jobs?limit=1', undefined, {}, true)
  assert.match(String(page.headers.link), /offset=1/)
  const graphql = async (query: string) => (await service.send('POST', '/graphql', { query }, {}, true)).body
  const fields =
    '{ id name key state payload by createdAt dueAt startedAt finishedAt tries attempts { at took error } }'
  assert.deepEqual((await graphql(`{ backgroundJobs(state: FAILED) ${fields} }`)).data.backgroundJobs, [failed])
  assert.deepEqual((await graphql(`{ backgroundJob(id: "${id}") ${fields} }`)).data.backgroundJob, failed)
  assert.equal((await graphql('{ backgroundJob(id: "x") { id } }')).data.backgroundJob, null)

  const patch = (job: string, body: unknown, asSystem = true) =>
    service.send('PATCH', `/background-jobs/${job}`, body, {}, asSystem)
  const cancelled = await patch(later, { state: 'CANCELLED' })
  assert.deepEqual([cancelled.status, cancelled.body.state], [200, 'CANCELLED'])
  isBroken = false
  const update = (state: string) =>
    graphql(`mutation { updateBackgroundJob(id: "${id}", state: ${state}) { state tries } }`)
  assert.deepEqual((await update('WAITING')).data.updateBackgroundJob, { state: 'WAITING', tries: 0 })
  await awaitThat(async () => (await list('?state=DONE')).length === 1)
  assert.equal((await update('CANCELLED')).errors[0].extensions.code, 'CONFLICT')
  assert.equal((await update('RUNNING')).errors[0].extensions.code, 'VALIDATION_FAILED')

  const refusals = await Promise.all([
    patch('x', { state: 'WAITING' }),
    patch(id, { state: 'CANCELLED' }),
    patch(id, { state: 'DONE' }),
    patch(id, { name: 'other' }),
    patch(id, { state: 'WAITING' }, false),
    service.send('GET', '/background-jobs'),
    service.send('GET', '/background-jobs?state=LOST', undefined, {}, true),
    service.send('GET', '/background-jobs?color=red', undefined, {}, true),
    service.send('DELETE', `/background-jobs/${id}`, undefined, {}, true),
  ])
  assert.deepEqual(
    refusals.map(({ status }) => status),
    [404, 409, 400, 400, 401, 401, 400, 400, 405],
  )
  assert.equal(
    (await service.send('POST', '/graphql', { query: '{ backgroundJobs { id } }' })).body.errors[0].extensions.code,
    'UNAUTHENTICATED',
  )

  const twain = await place.command('jobs', '--list')
  assert.match(
    twain.out,
    new RegExp(`^${later}  \\S+  CANCELLED  follow  tries 0\n${id}  \\S+  DONE       make  key k  tries 1\n$`),
  )
  assert.deepEqual(await place.command('jobs', '--list', '--state', 'failed'), {
    code: 0,
    out: '',
    err: 'There are no such jobs.\n',
  })
  assert.equal((await place.command('jobs', '--retry', later)).code, 0)
  assert.equal((await place.command('jobs', '--cancel', later)).code, 0)
  assert.deepEqual(await place.command('jobs', '--retry', 'x'), {
    code: 1,
    out: '',
    err: 'error There is no job x; twain jobs --list prints them.\n',
  })
  assert.equal((await place.command('jobs', '--cancel', id)).code, 1)
  assert.equal((await place.command('jobs', '--list', '--state', 'lost')).code, 2)
  assert.equal((await place.command('jobs')).code, 2)
})

test('mistakes in the definitions are reported at the start, all at once, each with its place', async (t) => {
  const bad = `export default { jobs: {
    a: { every: '1 hour', run() {} }, b: { cron: '0 25 * * *', run() {} }, c: { run: 3, retires: 2 },
    d: { every: '1h', cron: '* * * * *', run() {} }, e: { every: '1h', timeZone: 'UTC', run() {} }, f: 7,
    g: { cron: '* * * * *', timeZone: 'Berlin', run() {}, retries: -1, timeLimit: 5, concurrency: 0 }, 'h-1': { run() {} },
  } }`
  await assert.rejects(
    JobPlace.make(t, 'type Part @allow { id: ID! }', bad).then((place) => place.open()),
    (error: Error & { mistakes: string[] }) => {
      assert.deepEqual(error.mistakes, [
        "twain.config.ts: jobs.a.every must be a duration, such as '30s', '15m', '1h' or '2d'.",
        'twain.config.ts: jobs.b.cron is no cron expression: "25" in the field hour: it takes 0 to 23, as a value, a range (1-5), a list (1,3) or with a step (*/15).',
        'twain.config.ts: jobs.c.retires is no option of a job. Did you mean "retries"?',
        'twain.config.ts: jobs.c.run must be a function: run(payload, context).',
        'twain.config.ts: jobs.d has every and cron: it takes one of them.',
        'twain.config.ts: jobs.e.timeZone needs cron: every knows no time zone.',
        'twain.config.ts: jobs.f must be an object with the function run.',
        "twain.config.ts: jobs.g.timeLimit must be a duration of at most a day, such as '30s', '10m' or '1h'.",
        "twain.config.ts: jobs.g.timeZone must be the name of a time zone, such as 'Europe/Berlin'.",
        'twain.config.ts: jobs.g.retries must be a whole number from 0 to 100.',
        'twain.config.ts: jobs.g.concurrency must be a whole number from 1 to 1000.',
        'twain.config.ts: jobs.h-1 has a name that is no identifier: use letters, digits and _.',
      ])
      return true
    },
  )
})

/** The longest pause before the retries of these tests is 30 s. Another job wakes the worker, which would sleep for so long. */
async function passTime(service: JobService, clock: { now: number }, holds: () => boolean): Promise<void> {
  while (!holds()) {
    const follow = await enqueue(service, 'follow')
    await awaitThat(() => isIdleAfter(service, follow))
    clock.now += 30_000
  }
}

/** Whether the job has ended, and with it all that were due before. Time that passes while a job runs would end its lease. */
async function isIdleAfter(service: JobService, job: string): Promise<boolean> {
  const { body } = await service.send('GET', '/background-jobs?fields=id,state&sort=-createdAt', undefined, {}, true)
  const rows = body as { id: string; state: string }[]
  return rows.every(({ id, state }) => state !== 'RUNNING' && (id !== job || state === 'DONE'))
}

type Options = Parameters<JobPlace['open']>[1]

async function open(t: TestContext, run: RunJob, options: Options = {}, jobOptions = ''): Promise<JobService> {
  return (await JobPlace.make(t, sdl, code(jobOptions))).open(run, options)
}

async function enqueue(
  service: JobService,
  name: string,
  options: { key?: string; at?: string } = {},
): Promise<string> {
  const { body } = await service.send('POST', '/graphql', {
    query: 'mutation ($name: String!, $key: String, $at: String) { enqueue(name: $name, key: $key, at: $at) }',
    variables: { name, ...options },
  })
  if (body.errors) throw new Error(JSON.stringify(body.errors))
  return body.data.enqueue
}
