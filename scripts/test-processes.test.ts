import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { findTestFiles } from './test-files.ts'
import { staleFigures, toProcesses } from './test-processes.ts'

const files = findTestFiles(join(import.meta.dirname, '..'))

test('the files of a folder share a process, but for those that ask for their own', () => {
  const file = { stores: ['sqlite' as const], allSamples: [], isAlone: false }
  const processes = toProcesses([
    { ...file, path: 'conformance/rest/one.test.ts' },
    { ...file, path: 'conformance/rest/two.test.ts', stores: ['sqlite', 'postgres'] },
    { ...file, path: 'conformance/rest/three.test.ts', isAlone: true },
  ])
  assert.deepEqual(
    new Map(processes.map(({ name, paths }) => [name, paths.length])),
    new Map([
      ['conformance/rest', 2],
      ['conformance/rest/three.test.ts', 1],
      ['conformance/rest on PostgreSQL', 1],
    ]),
  )
})

test('each process with a figure is one of the suite', () => {
  assert.deepEqual(staleFigures(files), [])
})
