import assert from 'node:assert/strict'
import { test } from 'node:test'
import { progressBar } from './progress-bar.ts'

test('on a terminal it says how far it is, at most ten times a second; elsewhere it says nothing', () => {
  const shown = (colour: boolean) => {
    let said = ''
    const bar = progressBar({ err: (text) => (said += text), colours: { out: false, err: colour } })
    bar.show(250, 1000, 'Post')
    bar.show(251, 1000, 'Post')
    bar.show(1000, 1000, null)
    bar.clear()
    return said.replaceAll('\r\x1b[K', '\n')
  }

  assert.equal(
    shown(true),
    '\n████████░░░░░░░░░░░░░░░░░░░░░░ 25 %  250 of 1000 rows  Post' +
      '\n██████████████████████████████ 100 %  1000 of 1000 rows  making indexes\n',
  )
  assert.equal(shown(false), '')
})
