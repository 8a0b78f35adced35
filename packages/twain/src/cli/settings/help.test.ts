import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commands, formOf } from './command-table.ts'
import { help } from './help.ts'
import { flagOf, settings } from './settings.ts'

test('the overview names every command, and a command its settings with their defaults', () => {
  for (const command of commands) assert.ok(help(null).includes(`\n  ${formOf(command)}   `), formOf(command))
  for (const { name } of settings) assert.match(help('start'), new RegExp(`^ {2}--${flagOf(name)} `, 'm'))
  assert.match(help('dev'), /^ {2}--port N +port to listen on; 0 picks a free one \(4000\)$/m)
  assert.doesNotMatch(help('print'), /--port/)
})

test('no line of help is wider than 120 columns', () => {
  for (const text of [help(null), ...commands.map(({ name }) => help(name))]) {
    for (const line of text.split('\n')) assert.ok(line.length <= 120, line)
  }
})
