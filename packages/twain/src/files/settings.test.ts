import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultFileSettings, fileMistakes, imageSizesOf, storageOf } from './settings.ts'

const whole = {
  ...defaultFileSettings,
  endpoint: 'http://127.0.0.1:9000',
  bucket: 'pictures',
  accessKey: 'key',
  secretKey: 'secret',
}

test('without settings there is no S3 storage; with all of them there is', () => {
  assert.deepEqual([fileMistakes(defaultFileSettings), storageOf(defaultFileSettings)], [[], null])
  const { endpoint, bucket, region } = whole
  assert.deepEqual([fileMistakes(whole), storageOf(whole)], [[], { endpoint, bucket, region }])
})

test('incomplete settings, an invalid URL and an invalid bucket are reported at once', () => {
  const mistakes = fileMistakes({ ...whole, secretKey: null, endpoint: 's3.example', bucket: 'a/b' })
  assert.deepEqual(
    mistakes.map((mistake) => mistake.split(' ').at(-1)),
    ['missing.', 'https://s3.eu-central-1.amazonaws.com', 'dashes.'],
  )
  assert.match(mistakes[0]!, /files\.secretKey is missing/)
})

test('the chain of AWS needs a place and no keys; a session token belongs to keys', () => {
  const chain = { ...whole, accessKey: null, secretKey: null, credentials: 'aws' as const }
  assert.deepEqual(fileMistakes(chain), [])
  assert.match(fileMistakes({ ...chain, bucket: null })[0]!, /files\.bucket is missing/)
  assert.match(fileMistakes({ ...chain, accessKey: 'key' })[0]!, /leave out files\.accessKey/)
  assert.match(fileMistakes({ ...defaultFileSettings, sessionToken: 't' })[0]!, /belongs to files\.accessKey/)
  assert.deepEqual(fileMistakes({ ...whole, sessionToken: 't' }), [])
})

test('sizes of images are a list of whole numbers', () => {
  const sizesOf = (sizes: string) => ({ ...defaultFileSettings, sizes })
  assert.deepEqual(imageSizesOf(sizesOf(' 640,160 ,320,160')), [160, 320, 640])
  assert.deepEqual(imageSizesOf(defaultFileSettings), [])
  assert.deepEqual(fileMistakes(sizesOf('160,320')), [])
  for (const wrong of ['0', '160px', '5000', '-1', '1.5', Array.from({ length: 21 }, (_, at) => at + 1).join()]) {
    assert.match(fileMistakes(sizesOf(wrong))[0] ?? '', /^files\.sizes must list at most 20 widths in pixels/, wrong)
  }
})
