import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readProcess, readStores } from './test-files.ts'

test('a test file names its stores in the comment at its top', () => {
  assert.deepEqual(readStores('// Reads.\n// stores: sqlite, postgres\n\ntest()', 'stores'), ['sqlite', 'postgres'])
  assert.deepEqual(readStores('// stores: sqlite + postgres\n', 'stores'), ['sqlite'])
  assert.deepEqual(readStores('// stores: postgres (two nodes)\r\nimport', 'stores'), ['postgres'])
  assert.deepEqual(readStores('// stores: none', 'stores'), ['sqlite'])
})

test('a test file can name the stores for all of its samples', () => {
  assert.deepEqual(readStores('// stores: sqlite, postgres\n// all samples: sqlite', 'all samples'), ['sqlite'])
  assert.equal(readStores('// stores: sqlite', 'all samples'), null)
})

test('a misspelt or misplaced marker is refused', () => {
  const refused = [
    '// stores: mysql',
    '// stores: postgres, sqlite',
    '// stores:sqlite',
    '// store: sqlite',
    '// Stores: sqlite',
    '// stores: ',
    '// stores: sqlite, postgres because',
    'import\n// stores: sqlite',
    '// stores: sqlite\n// stores: postgres',
  ]
  for (const text of refused) assert.throws(() => readStores(text, 'stores'), /is none of|stands once/, text)
})

test('a test file can ask for a process of its own', () => {
  assert.equal(readProcess('// stores: none\n// process: own (it measures memory)\n'), true)
  assert.equal(readProcess('// stores: none\n'), false)
  assert.throws(() => readProcess('// process: alone\n'), /is not/)
})
