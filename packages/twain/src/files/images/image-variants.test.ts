// stores: none

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '#base'
import type { ImageVariant } from '#plan'
import { ImageTimeout } from './image-maker.ts'
import { ImageVariants } from './image-variants.ts'

const variant: ImageVariant = { width: 16, height: null, fit: 'COVER', format: 'WEBP' }

type Options = ConstructorParameters<typeof ImageVariants>[0]

/** Variants of a source whose name is its bytes; what is made is kept nowhere. */
function openVariants(make: (bytes: Uint8Array) => Promise<Buffer>, clock: () => number = () => 0): ImageVariants {
  return new ImageVariants({
    bytes: {
      open: async function* (key: string) {
        yield Buffer.from(key)
      },
      put: async () => ({ key: 'k', size: 1, release() {} }),
      remove: async () => {},
    },
    records: {},
    images: { find: async () => null, add: async (_key: string, _variant: string, record: object) => record },
    imageMaker: { make },
    clock,
  } as unknown as Options)
}

test('an image that took too long is tried again after a minute, and what is no image after ten', async () => {
  let now = 0
  const tried: string[] = []
  let isSlow = true
  const variants = openVariants(
    async (bytes) => {
      tried.push(String(bytes))
      if (String(bytes) === 'text') throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'no image')
      if (isSlow) throw new ImageTimeout()
      return Buffer.from('made')
    },
    () => now,
  )
  const ask = (key: string) => variants.find({ key, size: 1 }, variant, 'ann')
  for (let index = 0; index < 3; index++) {
    await assert.rejects(ask('photo'), { code: 'UNAVAILABLE', headers: { 'retry-after': '60' } })
    await assert.rejects(ask('text'), { code: 'UNSUPPORTED_MEDIA_TYPE' })
  }
  assert.deepEqual(tried, ['photo', 'text'])
  isSlow = false
  now = 61_000
  assert.equal((await ask('photo')).size, 1)
  await assert.rejects(ask('text'), { code: 'UNSUPPORTED_MEDIA_TYPE' })
  assert.deepEqual(tried, ['photo', 'text', 'photo'])
  now = 601_000
  await assert.rejects(ask('text'), { code: 'UNSUPPORTED_MEDIA_TYPE' })
  assert.equal(tried.length, 4)
})

test('clients take turns: one who asks for many images keeps no other from an image', async () => {
  const made: string[] = []
  const finish: (() => void)[] = []
  const variants = openVariants(async (bytes) => {
    made.push(String(bytes))
    await new Promise<void>((resolve) => finish.push(resolve))
    return Buffer.from('made')
  })
  const ask = (client: string, key: string) => variants.find({ key, size: 1 }, variant, client)
  const settled = () => new Promise((resolve) => setImmediate(resolve))

  const anns = Array.from({ length: 22 }, (_, index) => ask('ann', `ann ${index}`))
  await settled()
  assert.deepEqual(made, ['ann 0', 'ann 1'])
  await assert.rejects(ask('ann', 'one too many'), { code: 'UNAVAILABLE', headers: { 'retry-after': '5' } })
  const bobs = ask('bob', 'bob')
  for (const next of ['ann 2', 'bob']) {
    await settled()
    finish.shift()!()
    await settled()
    assert.equal(made.at(-1), next)
  }
  while (made.length < 23 || finish.length > 0) {
    finish.shift()?.()
    await settled()
  }
  assert.equal((await Promise.all([...anns, bobs])).length, 23)
})
