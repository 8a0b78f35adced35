import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { memoryFor, memoryShare } from './memory-share.ts'

const MiB = 1_048_576

test('a share is a part of the heap or of half of the container, and at most what is asked for', () => {
  assert.equal(memoryFor(4288 * MiB, 2 ** 64), 4096 * MiB)
  assert.equal(memoryFor(4288 * MiB, 512 * MiB), 256 * MiB)
  assert.equal(memoryFor(262 * MiB, 512 * MiB), 131 * MiB)
  assert.equal(memoryShare(256 * MiB, 1 / 4, 4096 * MiB), 256 * MiB)
  assert.equal(memoryShare(256 * MiB, 1 / 4, 131 * MiB), 32.75 * MiB)
})

for (const [heap, least, most] of [
  [128, 32, 40],
  [256, 64, 64],
  [512, 128, 128],
] as const) {
  test(`with a heap of ${heap} MB a quarter is ${least} to ${most} MB`, () => {
    const script = `import { memoryShare } from ${JSON.stringify(join(import.meta.dirname, 'memory-share.ts'))}; console.log(memoryShare(2 ** 40, 1 / 4))`
    const args = [`--max-old-space-size=${heap}`, '--input-type=module', '-e', script]
    const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    const megabytes = Math.round(Number(stdout) / MiB)
    assert.ok(megabytes >= least * 0.75 && megabytes <= most, `${megabytes}`)
  })
}
