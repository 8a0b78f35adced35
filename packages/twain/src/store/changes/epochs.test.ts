import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ChangesLost, Epochs, nextVersion } from './epochs.ts'

test('the point of a position names the epoch that assigned it', () => {
  const history = Epochs.parse('a:0 b:100 c:100 d:200')
  const named = [0, 1, 100, 101, 200, 201].map((position) => history.point(position).epoch)
  assert.deepEqual(named, ['a', 'a', 'a', 'c', 'c', 'd'])
})

test('a point is valid up to the position after which the next epoch begins', () => {
  const history = Epochs.parse('a:0 b:100')
  history.require({ epoch: 'a', position: 100 })
  history.require({ epoch: 'b', position: 100 })
  history.require({ epoch: 'b', position: 5000 })
  assert.throws(
    () => history.require({ epoch: 'a', position: 101 }),
    (error) => {
      assert.ok(error instanceof ChangesLost)
      assert.deepEqual([error.code, error.kept], ['GONE', { epoch: 'a', position: 100 }])
      return true
    },
  )
})

test('a point of an epoch that was lost as a whole is invalid, at any position', () => {
  assert.throws(
    () => Epochs.parse('a:0 b:100').require({ epoch: 'x', position: 1 }),
    (error) => (error as ChangesLost).kept === null,
  )
})

test('a version is greater than the floor of its epoch', () => {
  assert.deepEqual([nextVersion(0, 0), nextVersion(7, 0), nextVersion(7, 100), nextVersion(100, 100)], [1, 8, 101, 101])
})
