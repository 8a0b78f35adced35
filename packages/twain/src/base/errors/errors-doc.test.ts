// docs/reference/errors.md is a promise to users: its tables are the catalogue, no more and no less.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { docTable } from '../doc-table.fixture.ts'
import { type Code, catalogue, type DetailCode } from './catalogue.ts'
import { explanations } from './explanations.ts'

/** The compiler proves that these are all: one that is missing, or too many, does not fit the type. */
const detailCodes: Record<DetailCode, true> = {
  UNIQUE: true,
  REFERENCE: true,
  CASCADE: true,
  STATE: true,
  VERSION: true,
  IDEMPOTENCY: true,
  REQUIRED: true,
  TYPE: true,
  RANGE: true,
  LENGTH: true,
  PATTERN: true,
  COMMON: true,
  UNKNOWN: true,
  READONLY: true,
  WRONG: true,
  ACTING: true,
  DAMAGED: true,
  FULL: true,
}

test('the table of codes in docs/reference/errors.md is the catalogue, with its statuses', () => {
  const documented = docTable('reference/errors.md', 'Codes').map(([code, status]) => `${code} ${status}`)

  const known = Object.entries(catalogue).map(([code, { status }]) => `\`${code}\` ${status}`)
  assert.deepEqual(documented.toSorted(), known.toSorted())
})

test('the table of detail codes in docs/reference/errors.md has every detail code', () => {
  const documented = docTable('reference/errors.md', 'Detail codes').map(([code]) => code)

  const known = Object.keys(detailCodes).map((code) => `\`${code}\``)
  assert.deepEqual(documented.toSorted(), known.toSorted())
})

test('every detail code in docs/reference/errors.md is listed under codes of the catalogue', () => {
  const codes = Object.keys(catalogue).map((code) => `\`${code}\``)

  for (const [detail, , under = ''] of docTable('reference/errors.md', 'Detail codes'))
    for (const code of under.split(', ')) assert.ok(codes.includes(code), `${detail}: ${under}`)
})

test('the page has the explanations of the server, with an anchor for each code', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../../../docs/reference/errors.md'), 'utf8')
  const plain = page.replace(/\[([^\]]+)\]\([^)]+\)/g, '$1') // without links
  const rows = docTable('reference/errors.md', 'Codes')
  for (const [code, { when, next }] of Object.entries(explanations)) {
    const cell = rows.find(([name]) => name === `\`${code as Code}\``)?.[2] ?? ''
    assert.equal(when, `${cell[0]?.toUpperCase()}${cell.slice(1)}.`)
    assert.ok(plain.includes(`#### ${code}\n\n${next}`), code)
  }
})
