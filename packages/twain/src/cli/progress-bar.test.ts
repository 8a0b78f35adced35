import assert from 'node:assert/strict'
import { test } from 'node:test'
import { progressBar } from './progress-bar.ts'

test('on a terminal it says how far it is, at most ten times a second; elsewhere it says nothing', () => {
  const shown = (colour: boolean, all: { rows: number; bytes: number }) => {
    let said = ''
    const bar = progressBar({ err: (text) => (said += text), colours: { out: false, err: colour } })
    bar.show({ rows: 250, bytes: 0 }, all, 'Post')
    bar.show({ rows: 251, bytes: 0 }, all, 'Post')
    bar.show(all, all, null)
    bar.clear()
    return said.replaceAll('\r\x1b[K', '\n')
  }

  assert.equal(
    shown(true, { rows: 1000, bytes: 0 }),
    '\n████████░░░░░░░░░░░░░░░░░░░░░░ 25 %  250 of 1000 rows  Post' +
      '\n██████████████████████████████ 100 %  1000 of 1000 rows  making indexes\n',
  )
  assert.equal(
    shown(true, { rows: 1000, bytes: 4096 * 1000 }),
    '\n████░░░░░░░░░░░░░░░░░░░░░░░░░░ 12 %  250 of 1000 rows, 0.0 of 4.1 MB of files  Post' +
      '\n██████████████████████████████ 100 %  1000 of 1000 rows, 4.1 of 4.1 MB of files  making indexes\n',
  )
  assert.equal(shown(false, { rows: 1000, bytes: 0 }), '')
})
