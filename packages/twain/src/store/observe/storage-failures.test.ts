import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError } from '#base'
import { silent } from '../store.fixture.ts'
import { StorageFailures, storageFailure } from './storage-failures.ts'

const postgres = (code: string) => Object.assign(new Error('no'), { code })
const sqlite = (errcode: number) => Object.assign(new Error('no'), { code: 'ERR_SQLITE_ERROR', errcode })

test('codes of both databases and of the file system tell damage and a full disk from all else', () => {
  const damaged = [
    postgres('XX001'),
    postgres('XX002'),
    postgres('58P01'),
    sqlite(11),
    sqlite(267),
    sqlite(26),
    sqlite(522),
  ]
  const full = [postgres('53100'), postgres('ENOSPC'), postgres('EDQUOT'), sqlite(13), sqlite(4874)]
  const others = [
    postgres('XX000'),
    postgres('53200'),
    postgres('58030'),
    sqlite(10),
    sqlite(19),
    new Error('no'),
    null,
  ]
  assert.deepEqual(
    damaged.map(storageFailure),
    damaged.map(() => 'damaged'),
  )
  assert.deepEqual(
    full.map(storageFailure),
    full.map(() => 'full'),
  )
  assert.deepEqual(
    others.map(storageFailure),
    others.map(() => null),
  )
})

test('failures are counted by kind and logged once a minute each; other errors stay what they are', () => {
  const logged: object[] = []
  const failures = new StorageFailures({ database: 'db' }, { ...silent, error: (...entry) => void logged.push(entry) })
  const other = postgres('42P01')
  assert.equal(failures.explain(other), other)
  for (const [code, detail] of [
    ['53100', 'FULL'],
    ['53100', 'FULL'],
    ['XX001', 'DAMAGED'],
  ] as const) {
    const error = failures.explain(postgres(code))
    assert.ok(error instanceof ApiError)
    assert.equal(error.problems[0]?.code, detail)
  }
  assert.equal(failures.isDamaged, true)
  failures.metMissing('1', new Error('no'))
  assert.deepEqual(
    failures.gauges().map(({ failure, value }) => [failure, value()]),
    [
      ['damaged', 1],
      ['missing', 1],
      ['full', 2],
    ],
  )
  const fields = { database: 'db', 'exception.message': 'no' }
  assert.deepEqual(logged.slice(0, 2), [
    [fields, 'the disk is full: free some space, and writes succeed again'],
    [fields, 'the database is damaged: twain doctor --deep shows how much; restore a backup'],
  ])
  assert.equal(logged.length, 3)
})
