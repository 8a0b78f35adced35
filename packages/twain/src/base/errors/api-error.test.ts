import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError, asApiError, hasEnoughProblems, validationError } from './api-error.ts'

test('an ApiError has the status and the title of its code', () => {
  const error = new ApiError('CONFLICT', 'The email is taken.', { hint: 'Take another.', cause: 'a constraint' })

  assert.deepEqual(
    [error.status, error.title, error.message, error.hint, error.cause],
    [409, 'Conflict', 'The email is taken.', 'Take another.', 'a constraint'],
  )
})

test('an ApiError without options has no problems and no headers', () => {
  const error = new ApiError('NOT_FOUND', 'There is no such post.')

  assert.deepEqual([error.problems, error.headers, error.hint], [[], {}, undefined])
})

test('the message of one problem names its place', () => {
  const error = validationError([{ path: 'title', code: 'REQUIRED', message: 'is required.' }])

  assert.equal(error.code, 'VALIDATION_FAILED')
  assert.equal(error.message, 'title: is required.')
})

test('the message is that of the first problem, and the list has all problems', () => {
  const problems = [
    { path: '', code: 'TYPE', message: 'must be an object.' },
    { path: 'b', code: 'TYPE', message: 'must be a string.' },
    { path: 'c', code: 'TYPE', message: 'must be a list.' },
  ] as const

  const error = validationError([...problems], 'BAD_REQUEST')

  assert.equal(error.code, 'BAD_REQUEST')
  assert.equal(error.message, 'must be an object. (and 2 more)')
  assert.deepEqual(error.problems, problems)
})

test('of very many problems the first are listed, and the message says that there are more', () => {
  const problems = Array.from(
    { length: 21 },
    (_, at) => ({ path: `a.${at}`, code: 'TYPE', message: 'is wrong.' }) as const,
  )

  assert.deepEqual([hasEnoughProblems(problems.slice(0, 20)), hasEnoughProblems(problems)], [false, true])
  assert.equal(validationError(problems.slice(0, 20)).message, 'a.0: is wrong. (and 19 more)')
  const error = validationError(problems)
  assert.equal(error.message, 'a.0: is wrong. (and 20 or more others)')
  assert.equal(error.problems.length, 20)
})

test('long input is quoted in part, and the description of the problem in full', () => {
  const name = '😀'.repeat(10_000)
  const error = validationError([{ path: name, code: 'UNKNOWN', message: `"${name}" is not a field of Post.` }])

  assert.ok(error.message.length <= 1000 && error.message.isWellFormed())
  assert.match(error.message, /is not a field of Post\.$/)
  assert.ok(error.problems[0]!.path.length <= 200)
  assert.ok(new ApiError('BAD_REQUEST', name, { hint: name }).hint!.length <= 1000)
})

test('an error with a code of the catalogue becomes an ApiError, whatever its class', () => {
  const error = asApiError(Object.assign(new Error('Sold out.'), { code: 'CONFLICT', hint: 'Try tomorrow.' }))
  assert.ok(error instanceof ApiError)
  assert.deepEqual([error.code, error.message, error.hint], ['CONFLICT', 'Sold out.', 'Try tomorrow.'])
  assert.equal(asApiError(error), error)
})

test('any other error stays what it is', () => {
  for (const code of ['INTERNAL', 'ENOENT', 'toString', 7, undefined]) {
    const error = Object.assign(new Error('x'), { code })
    assert.equal(asApiError(error), error)
  }
  assert.equal(asApiError('x'), 'x')
})
