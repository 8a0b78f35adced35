import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { openTestStore, TestStore } from '../../store.fixture.ts'
import { lockFolder } from './lock-folder.ts'

describe('one server for one folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'twain-lock-'))
  after(() => rmSync(folder, { recursive: true }))

  test('a second server is refused with a hint, until the first releases the lock', () => {
    const lock = lockFolder(folder)
    assert.throws(() => lockFolder(folder), {
      name: 'StartRefused',
      message: `Another Twain server is running on the data in ${folder}. Stop it first, or give this one another folder with --data.`,
    })
    lock.release()
    lockFolder(folder).release()
  })

  test('a killed process releases its lock', async () => {
    const code = `import { lockFolder } from ${JSON.stringify(import.meta.resolve('./lock-folder.ts'))}
      lockFolder(${JSON.stringify(folder)})
      console.log('locked')
      setInterval(() => {}, 1000)`
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] })
    const exit = once(child, 'exit')
    await once(child.stdout, 'data')
    assert.throws(() => lockFolder(folder), { name: 'StartRefused' })
    child.kill('SIGKILL')
    await exit
    lockFolder(folder).release()
  })

  test('a store locks its folder from open to close', async () => {
    const sdl = 'type A { id: ID! }'
    const store = await openTestStore(sdl)
    await assert.rejects(TestStore.open(store.data, sdl), { name: 'StartRefused' })
    await store.create('A', {}) // the first one is not disturbed
    await store.store.close()
    const again = await TestStore.open(store.data, sdl)
    assert.equal((await again.many('A')).length, 1)
    await again.close()
  })
})
