// `npm run disconnects --workspace=@twain/conformance [-- 1000]`: the long version of faults/disconnects.test.ts, on each store.

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')
const env = { ...process.env, TWAIN_DISCONNECTS: process.argv[2] ?? '1000' }
const { status } = spawnSync(process.execPath, [join(root, 'scripts/test.ts'), 'faults/disconnects'], {
  cwd: root,
  env,
  stdio: 'inherit',
})
process.exitCode = status ?? 1
