// What must hold after a fault, in each mode of replication (docs/operations/postgresql.md, failover).

import assert from 'node:assert/strict'
import type { Availability } from './availability.ts'
import type { Load } from './load.ts'
import type { StreamReader } from './readers.ts'

export interface RunFacts {
  load: Load
  availability: Availability
  /** The texts of the rows that are there. */
  rows: readonly string[]
  readers: readonly StreamReader[]
  webhook: { texts: readonly string[]; pauses: number }
  since: number
  isSynchronous: boolean
  mayLose: boolean
}

export interface RunReport {
  acknowledged: number
  /** Acknowledged, and not there. */
  lost: number
  refused: number
  unknown: number
  pauseSeconds: number
  /** The longest pause while the database committed. */
  returnSeconds: number
  /** How many streams, and webhooks, were told that changes were lost. */
  gone: number
}

/** docs/operations/postgresql.md, outages: so soon after the database is back a node answers again. */
const maxReturnSeconds = 5

export function checkRun(facts: RunFacts): RunReport {
  const { load, availability, rows, readers, webhook, since, isSynchronous, mayLose } = facts
  const there = new Set(rows)
  assert.equal(there.size, rows.length, 'no write was made twice')
  const withOutcome = (wanted: string) =>
    [...load.outcomes].filter(([, outcome]) => outcome === wanted).map(([text]) => text)
  const acknowledged = withOutcome('acknowledged')
  const lost = acknowledged.filter((text) => !there.has(text))
  if (isSynchronous || !mayLose) assert.deepEqual(lost, [], 'acknowledged writes are there')
  assert.deepEqual(
    withOutcome('refused').filter((text) => there.has(text)),
    [],
    'refused writes are not there',
  )
  for (const { texts, gone } of readers) {
    assert.deepEqual(
      [...texts.keys()].toSorted(),
      rows.toSorted(),
      `a stream has each row, and no other (${gone} × GONE)`,
    )
    if (gone === 0) assert.deepEqual([...new Set(texts.values())], [1], 'each change came once')
  }
  const told = new Set(webhook.texts)
  if (webhook.pauses === 0) {
    const ghosts = webhook.texts.filter((text) => !there.has(text))
    assert.deepEqual(ghosts, [], 'a webhook that sent a lost change is paused')
  }
  assert.deepEqual(
    rows.filter((text) => !told.has(text)),
    [],
    'the webhook has each row',
  )
  if (lost.length > 0) assert.ok(readers.some(({ gone }) => gone > 0) || lost.every((text) => !told.has(text)))
  const returnSeconds = load.longestPause(since, (begin, end) => availability.longestWithin(begin, end))
  assert.ok(
    returnSeconds <= maxReturnSeconds,
    `the database committed, and for ${returnSeconds.toFixed(1)} s Twain acknowledged no write`,
  )
  return {
    acknowledged: acknowledged.length,
    lost: lost.length,
    refused: withOutcome('refused').length,
    unknown: withOutcome('unknown').length,
    pauseSeconds: load.longestPause(since),
    returnSeconds,
    gone: readers.filter(({ gone }) => gone > 0).length + webhook.pauses,
  }
}
