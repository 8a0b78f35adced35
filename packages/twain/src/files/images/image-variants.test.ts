// stores: none

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ImageVariant } from '#plan'
import { ImageVariants } from './image-variants.ts'

const variant: ImageVariant = { width: 16, height: null, fit: 'COVER', format: 'WEBP' }

test('clients take turns: one who asks for many images keeps no other from an image', async () => {
  const made: string[] = []
  const finish: (() => void)[] = []
  const variants = new ImageVariants({
    // It reads the name of the source as its bytes, and keeps what is made nowhere.
    bytes: {
      open: async function* (key: string) {
        yield Buffer.from(key)
      },
      put: async () => ({ key: 'k', size: 1, release() {} }),
      remove: async () => {},
    },
    records: {},
    images: { find: async () => null, add: async (_key: string, _variant: string, record: object) => record },
    imageMaker: {
      make: async (bytes: Uint8Array) => {
        made.push(String(bytes))
        await new Promise<void>((resolve) => finish.push(resolve))
        return Buffer.from('made')
      },
    },
    clock: () => 0,
  } as unknown as ConstructorParameters<typeof ImageVariants>[0])
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
