// A process of several test files, each a suite under its own path: `test-group.ts FILE FILE`. Hooks and tests of a file belong to
// its suite alone.

import { join } from 'node:path'
import { describe } from 'node:test'
import { pathToFileURL } from 'node:url'

const root = join(import.meta.dirname, '..')

for (const path of process.argv.slice(2)) {
  describe(path, async () => {
    await import(pathToFileURL(join(root, path)).href)
  })
}
