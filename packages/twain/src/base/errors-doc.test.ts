// docs/errors.md is a promise to users: its tables are the catalogue, no more and no less.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { catalogue, type DetailCode } from './catalogue.ts'

const doc = readFileSync(new URL('../../../../docs/errors.md', import.meta.url), 'utf8')

/** The compiler proves that these are all: one that is missing, or too many, does not fit the type. */
const detailCodes: Record<DetailCode, true> = {
  UNIQUE: true,
  REFERENCE: true,
  STATE: true,
  VERSION: true,
  IDEMPOTENCY: true,
  REQUIRED: true,
  TYPE: true,
  RANGE: true,
  LENGTH: true,
  PATTERN: true,
  UNKNOWN: true,
  READONLY: true,
}

test('the table of codes in docs/errors.md is the catalogue, with its statuses', () => {
  const told = rowsUnder('Codes').map(([code, status]) => `${code} ${status}`)

  const known = Object.entries(catalogue).map(([code, { status }]) => `\`${code}\` ${status}`)
  assert.deepEqual(told.toSorted(), known.toSorted())
})

test('the table of detail codes in docs/errors.md has every detail code', () => {
  const told = rowsUnder('Detail codes').map(([code]) => code)

  const known = Object.keys(detailCodes).map((code) => `\`${code}\``)
  assert.deepEqual(told.toSorted(), known.toSorted())
})

test('every detail code in docs/errors.md is told under a code of the catalogue', () => {
  const codes = Object.keys(catalogue).map((code) => `\`${code}\``)

  for (const [detail, , under] of rowsUnder('Detail codes'))
    assert.ok(codes.includes(under ?? ''), `${detail}: ${under}`)
})

/** The cells of the first table below a heading, without its head. */
function rowsUnder(heading: string): string[][] {
  const section = doc.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? ''
  const [table = ''] = /(?:^\|.*\n)+/m.exec(section) ?? []
  const [, , ...rows] = table.trimEnd().split('\n')
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}
