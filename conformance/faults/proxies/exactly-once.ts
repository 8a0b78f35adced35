// What must hold after nodes ended: each write was made once, and each reader got each change once.

import assert from 'node:assert/strict'
import { until } from '../../harness/until.ts'
import type { Reader, SeenChange } from './feed-readers.ts'
import type { Load } from './load-through-proxy.ts'
import type { Client } from './proxy-client.ts'

/** Sends unanswered writes again with their keys: each must be there once. */
export async function assertWrittenOnce(load: Load, client: Client): Promise<void> {
  for (const { text, key } of load.failed.filter(({ kind }) => kind === 'post')) {
    const reply = await client.askJson('POST', '/notes', { text }, { 'idempotency-key': key })
    assert.equal(reply.status, 201)
  }
  const rows = await client.ask('GET', '/notes', { accept: 'application/x-ndjson' })
  const texts = String(rows.bytes)
    .split('\n')
    .filter((line) => line !== '')
    .map((line): string => JSON.parse(line).text)
  const counts = Map.groupBy(texts, (text) => text)
  for (const text of load.posted) assert.equal(counts.get(text)?.length, 1, text)
}

/** Each reader must have the whole log, without a gap and without a repetition. */
export async function assertReadOnce(readers: readonly Reader[], start: string, client: Client): Promise<void> {
  const all: SeenChange[] = []
  for (
    let page = await changes(client, start);
    page.edges.length > 0;
    page = await changes(client, page.pageInfo.endCursor)
  )
    for (const { node } of page.edges) all.push({ cursor: node.id, id: node.subject, version: node.version })
  for (const reader of readers) {
    await until(
      async () => reader.seen.length,
      (length) => length >= all.length,
    )
    assert.deepEqual(reader.seen, all)
  }
}

/** A page of the log. */
export async function changes(client: Client, after: string) {
  return JSON.parse(String((await client.ask('GET', `/changes?first=100&after=${after}`)).bytes))
}
