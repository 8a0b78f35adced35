import assert from 'node:assert/strict'
import { test } from 'node:test'
import { progressBar, rowBar, stepBar } from './progress-bar.ts'

test('on a terminal it shows progress at most ten times a second; elsewhere nothing', () => {
  const shown = (colour: boolean, all: { rows: number; bytes: number }) => {
    let output = ''
    const bar = progressBar({ err: (text) => (output += text), colours: { out: false, err: colour } })
    bar.show({ rows: 250, bytes: 0 }, all, 'Post')
    bar.show({ rows: 251, bytes: 0 }, all, 'Post')
    bar.show(all, all, null)
    bar.clear()
    return output.replaceAll('\r\x1b[K', '\n')
  }

  assert.equal(
    shown(true, { rows: 1000, bytes: 0 }),
    '\n████████░░░░░░░░░░░░░░░░░░░░░░ 25 %  250 of 1000 rows  Post' +
      '\n██████████████████████████████ 100 %  1000 of 1000 rows  building indexes\n',
  )
  assert.equal(
    shown(true, { rows: 1000, bytes: 4096 * 1000 }),
    '\n████░░░░░░░░░░░░░░░░░░░░░░░░░░ 12 %  250 of 1000 rows, 0.0 of 4.1 MB of files  Post' +
      '\n██████████████████████████████ 100 %  1000 of 1000 rows, 4.1 of 4.1 MB of files  building indexes\n',
  )
  assert.equal(shown(false, { rows: 1000, bytes: 0 }), '')
})

test('shows how much of a file is read; without a size the rows alone', () => {
  const shown = (read: { position: number; size: number } | null, colour = true) => {
    let output = ''
    const bar = rowBar({ err: (text) => (output += text), colours: { out: false, err: colour } })
    bar.show(read, 500, 'Post')
    bar.show(read, 600, 'Post')
    bar.clear()
    return output.replaceAll('\r\x1b[K', '\n')
  }
  assert.equal(shown({ position: 300, size: 1200 }), '\n████████░░░░░░░░░░░░░░░░░░░░░░ 25 %  500 rows  Post\n')
  assert.equal(shown(null), '\n500 rows  Post\n')
  assert.equal(shown(null, false), '')
})

test('shows the current step of a plan in one line; an unplanned step is shown but not counted', () => {
  const shown = (colour: boolean) => {
    let output = ''
    const bar = stepBar({ err: (text) => (output += text), colours: { out: false, err: colour } }, [
      'CREATE TABLE\n  "Post"',
      '-- words are noted',
    ])
    bar.show('CREATE TABLE\n  "Post"')
    bar.show('-- words are noted')
    bar.show(`-- words are noted: 100 so far${' '.repeat(9)}${'x'.repeat(60)}`)
    bar.clear()
    return output.replaceAll('\r\x1b[K', '\n')
  }
  assert.equal(
    shown(true),
    '\n░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░ 0 %  step 1 of 2  CREATE TABLE "Post"' +
      '\n███████████████░░░░░░░░░░░░░░░ 50 %  step 2 of 2  words are noted' +
      `\n███████████████░░░░░░░░░░░░░░░ 50 %  step 2 of 2  words are noted: 100 so far ${'x'.repeat(32)}…\n`,
  )
  assert.equal(shown(false), '')
})
