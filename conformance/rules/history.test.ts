// Histories and reversions under rules: every answer is that of the reference.
// stores: sqlite, postgres

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { historyDifferences, openHistoryCells } from './cells/history-cells.ts'

test('each viewer sees and puts back what the rules of the row, as it was and as it is, allow', async () => {
  const apis = await openHistoryCells()
  try {
    const { cells, differences } = await historyDifferences(apis)
    assert.deepEqual(differences, [])
    assert.ok(cells > 200, `${cells}`)
  } finally {
    await apis.close()
  }
})
