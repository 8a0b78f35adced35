// A process of test files, each a suite under its own path: `test-group.ts FILE FILE`. Hooks and tests of a file belong to its suite
// alone. For the runner (`run-tests.ts`) it writes the CPU time of each file to the descriptor TWAIN_TEST_TIMES.

import { writeSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe } from 'node:test'
import { pathToFileURL } from 'node:url'
import { type CpuTime, cpuTimeSince, readCpuTime } from './cpu-time.ts'
import { endHungTests } from './end-hung-tests.ts'

export interface FileTime {
  /** Null: what the process took outside of its files, mostly to load modules. */
  path: string | null
  time: CpuTime
}

const root = join(import.meta.dirname, '..')
const descriptor = Number(process.env.TWAIN_TEST_TIMES ?? 0)
delete process.env.TWAIN_TEST_TIMES // the descriptor is not open in processes that tests start
const paths = process.argv.slice(2)
const hung = endHungTests(paths)

if (process.env.TWAIN_TEST_PASSWORDS === 'quick') await import('./quick-passwords.ts')

for (const path of paths) {
  describe(path, async () => {
    let began: CpuTime
    before(() => {
      began = readCpuTime()
      hung.beginFile()
    })
    await import(pathToFileURL(join(root, path)).href)
    after(() => {
      report({ path, time: cpuTimeSince(began) })
      hung.endFile(path)
    })
  })
}

process.on('exit', () => report({ path: null, time: readCpuTime() }))

function report(time: FileTime): void {
  if (descriptor !== 0) writeSync(descriptor, `${JSON.stringify(time)}\n`)
}
