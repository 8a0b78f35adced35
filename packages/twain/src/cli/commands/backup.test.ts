import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadModel } from '#model'
import { defaultLimits } from '#plan'
import { openStore } from '#store'
import { run } from '../cli.ts'

test('twain backup and twain restore work beside an open store', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'twain-backup-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const [data, backup, other] = [join(folder, 'data'), join(folder, 'b.db'), join(folder, 'other')]
  const sdl = 'type Post { id: ID! }'
  const log = { info() {}, warn() {}, error() {} }
  const store = await openStore({ data, model: loadModel(sdl, ''), sdl, limits: defaultLimits, log })
  t.after(() => store.close())

  const done = await command('backup', '--data', data, '--to', backup)
  assert.deepEqual(done, { code: 0, err: `Wrote a backup of ${data} to ${backup}, with 0 files.\n` })
  const back = await command('restore', backup, '--data', other)
  assert.equal(back.code, 0)
  assert.match(back.err, /^Restored .* to /)
  assert.ok(existsSync(join(other, 'twain.db')))

  assert.deepEqual(await command('backup', '--data', data), {
    code: 2,
    err: 'error --to FILE is missing: twain backup --data ./data --to backup.db\n\nSee twain backup --help.\n',
  })
  const again = await command('restore', backup, '--data', other)
  assert.equal(again.code, 1)
  assert.match(again.err, /There is data in .*other already/)
  assert.match(
    (await command('restore', '--data', other)).err,
    /twain restore needs a backup: twain restore backup\.db/,
  )
})

async function command(...words: string[]): Promise<{ code: number; err: string }> {
  let err = ''
  const code = await run(words, {
    env: {},
    out: () => undefined,
    err: (part) => {
      err += part
    },
    colours: { out: false, err: false },
    stop: new AbortController().signal,
  })
  return { code, err }
}
