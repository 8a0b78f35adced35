// stores: none

import assert from 'node:assert/strict'
import { registerHooks } from 'node:module'
import { test } from 'node:test'
import type { ImageVariant } from '#plan'
import { defaultFileSettings } from '../settings.ts'
import { ImageMaker, openImageMaker } from './image-maker.ts'

const variant: ImageVariant = { width: 16, height: null, fit: 'COVER', format: 'WEBP' }
const jpeg = Uint8Array.from([0xff, 0xd8, 0xff, 0xe0, 0, 0, 0, 0, 0, 0, 0, 0])

/** A library that reads a header, and fails to read the pixels. */
function failingSharp(message: string): unknown {
  const image: Record<string, unknown> = {
    metadata: async () => ({ format: 'jpeg', width: 10, height: 10 }),
    toBuffer: async () => {
      throw new Error(message)
    },
  }
  for (const name of ['autoOrient', 'resize', 'toColourspace', 'timeout', 'webp']) image[name] = () => image
  return () => image
}

test('an image that takes too long is no damaged one: the server is busy', async () => {
  const make = (message: string) => new ImageMaker(failingSharp(message), 1000).make(jpeg, variant)
  await assert.rejects(make('timeout: 10% complete'), { code: 'UNAVAILABLE', headers: { 'retry-after': '60' } })
  await assert.rejects(make('VipsJpeg: premature end'), { code: 'UNSUPPORTED_MEDIA_TYPE' })
})

test('without sharp, files.sizes refuses the start and says what to install', async () => {
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      if (specifier === 'sharp') throw Object.assign(new Error('none'), { code: 'ERR_MODULE_NOT_FOUND' })
      return next(specifier, context)
    },
  })
  try {
    await assert.rejects(openImageMaker({ ...defaultFileSettings, sizes: '16' }), /npm install sharp/)
    assert.equal(await openImageMaker(defaultFileSettings), null)
  } finally {
    hooks.deregister()
  }
})
