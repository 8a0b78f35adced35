import assert from 'node:assert/strict'
import { test } from 'node:test'
import { basePathMistake, pathBelow } from './base-path.ts'

test('a path is below the base path, or none of an API', () => {
  assert.equal(pathBelow('/api/notes', '/api'), '/notes')
  assert.equal(pathBelow('/api/', '/api'), '/')
  assert.equal(pathBelow('/api', '/api'), '/')
  for (const path of ['/', '/notes', '/apis', '/ap', '/API/notes', '*'])
    assert.equal(pathBelow(path, '/api'), null, path)
})

test('a base path is a path without a slash at its end', () => {
  for (const path of [null, '/api', '/api/v1', '/a-b_c.d~e']) assert.equal(basePathMistake(path), null)
  for (const path of ['', '/', 'api', '/api/', '//api', '/a b', '/a/../b', '/.', '/a?b', '/a%20b'])
    assert.match(basePathMistake(path)!, /^http\.basePath must be a path such as \/api/, path)
})
