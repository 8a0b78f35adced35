import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError, hasEnoughProblems, validationError } from './api-error.ts'

test('a fault knows the status and the title of its code', () => {
  const fault = new ApiError('CONFLICT', 'The email is taken.', { hint: 'Take another.', cause: 'a constraint' })

  assert.deepEqual(
    [fault.status, fault.title, fault.message, fault.hint, fault.cause],
    [409, 'Conflict', 'The email is taken.', 'Take another.', 'a constraint'],
  )
})

test('a fault that says nothing more has no problems and no headers', () => {
  const fault = new ApiError('NOT_FOUND', 'There is no such post.')

  assert.deepEqual([fault.problems, fault.headers, fault.hint], [[], {}, undefined])
})

test('one problem is told with its place', () => {
  const fault = validationError([{ path: 'title', code: 'REQUIRED', message: 'must be given.' }])

  assert.equal(fault.code, 'VALIDATION_FAILED')
  assert.equal(fault.message, 'title: must be given.')
})

test('of several problems the sentence is the first, and the list has them all', () => {
  const problems = [
    { path: '', code: 'TYPE', message: 'must be an object.' },
    { path: 'b', code: 'TYPE', message: 'must be a string.' },
    { path: 'c', code: 'TYPE', message: 'must be a list.' },
  ] as const

  const fault = validationError([...problems], 'BAD_REQUEST')

  assert.equal(fault.code, 'BAD_REQUEST')
  assert.equal(fault.message, 'must be an object. (and 2 more)')
  assert.deepEqual(fault.problems, problems)
})

test('of very many problems the first are told, and that there are more', () => {
  const problems = Array.from(
    { length: 21 },
    (_, at) => ({ path: `a.${at}`, code: 'TYPE', message: 'is wrong.' }) as const,
  )

  assert.deepEqual([hasEnoughProblems(problems.slice(0, 20)), hasEnoughProblems(problems)], [false, true])
  assert.equal(validationError(problems.slice(0, 20)).message, 'a.0: is wrong. (and 19 more)')
  const fault = validationError(problems)
  assert.equal(fault.message, 'a.0: is wrong. (and 20 or more others)')
  assert.equal(fault.problems.length, 20)
})

test('what was sent is told back in part only, and what is wrong with it in full', () => {
  const name = '😀'.repeat(10_000)
  const fault = validationError([{ path: name, code: 'UNKNOWN', message: `"${name}" is not a field of Post.` }])

  assert.ok(fault.message.length <= 1000 && fault.message.isWellFormed())
  assert.match(fault.message, /is not a field of Post\.$/)
  assert.ok(fault.problems[0]!.path.length <= 200)
  assert.ok(new ApiError('BAD_REQUEST', name, { hint: name }).hint!.length <= 1000)
})
