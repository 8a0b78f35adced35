import assert from 'node:assert/strict'
import { test } from 'node:test'
import { looksLikeAddress } from './database-addresses.ts'

test('database addresses are recognized, and folders are not taken for addresses', () => {
  const addresses = [
    'postgres://h/x',
    'postgres//u:p@h/x',
    'postgres:/u:p@h/x',
    'postgresql:u:p@h/x',
    'mysql://u:p@h/x',
    'HTTP://h',
  ]
  assert.deepEqual(
    addresses.filter((text) => !looksLikeAddress(text)),
    [],
  )
  const folders = ['./data', '/srv/data', 'C:/data', 'C:\\data', 'postgres', 'postgres/data', 'a@b', './x:y@z']
  assert.deepEqual(folders.filter(looksLikeAddress), [])
})
