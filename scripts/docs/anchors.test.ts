import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Anchors } from './anchors.ts'

test('anchors are those of GitHub', () => {
  const anchors = new Anchors()
  assert.equal(anchors.of('If `npm ci` or `npm start` complains'), 'if-npm-ci-or-npm-start-complains')
  assert.equal(anchors.of('5. Add a state machine'), '5-add-a-state-machine')
  assert.equal(anchors.of('[A link](page.md#x) here'), 'a-link-here')
  assert.deepEqual(
    [anchors.of('Errors'), anchors.of('Errors'), anchors.of('Errors')],
    ['errors', 'errors-1', 'errors-2'],
  )
})
