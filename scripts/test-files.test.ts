import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readStores } from './test-files.ts'

test('a test file names its stores in the comment at its top', () => {
  assert.deepEqual(readStores('// Reads.\n// stores: sqlite, postgres\n\ntest()', true), ['sqlite', 'postgres'])
  assert.deepEqual(readStores('// stores: sqlite + postgres\n', true), ['sqlite'])
  assert.deepEqual(readStores('// stores: postgres (two nodes)\r\nimport', true), ['postgres'])
  assert.deepEqual(readStores('// stores: none', true), ['sqlite'])
})

test('a file that names no store runs once, where it need not name any', () => {
  assert.deepEqual(readStores('import', false), ['sqlite'])
  assert.throws(() => readStores('import', true), /no "\/\/ stores/)
})

test('a line that is misspelt or misplaced is refused', () => {
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
  for (const text of refused) assert.throws(() => readStores(text, false), /is none of|stands once/, text)
})
