import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultFileSettings, fileMistakes, storageOf } from './settings.ts'

const whole = {
  ...defaultFileSettings,
  endpoint: 'http://127.0.0.1:9000',
  bucket: 'pictures',
  accessKey: 'key',
  secretKey: 'secret',
}

test('nothing said is the data folder; all of it is a storage elsewhere', () => {
  assert.deepEqual([fileMistakes(defaultFileSettings), storageOf(defaultFileSettings)], [[], null])
  assert.deepEqual([fileMistakes(whole), storageOf(whole)], [[], whole])
})

test('half of it, an address that is none and a bucket that can not be are told at once', () => {
  const mistakes = fileMistakes({ ...whole, secretKey: null, endpoint: 's3.example', bucket: 'a/b' })
  assert.deepEqual(
    mistakes.map((mistake) => mistake.split(' ').at(-1)),
    ['said.', 'https://s3.eu-central-1.amazonaws.com', 'dashes.'],
  )
  assert.match(mistakes[0]!, /files\.secretKey is not said/)
})
