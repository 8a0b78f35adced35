// docs/operations/operations.md lists every setting, as the settings table has it: flag, variable and default.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { docTable } from '#doc-table'
import { commands, formOf } from './command-table.ts'
import { flagOf, settings, variableOf } from './settings.ts'

test('the table of settings in docs/operations/operations.md is the settings table, in its order', () => {
  const told = docTable('operations/operations.md', 'Settings').map((cells) => cells.slice(0, 4))

  assert.deepEqual(
    told,
    settings.map(({ name, default: standard, dev }) => [
      `\`${name}\``,
      `\`--${flagOf(name)}\``,
      `\`${variableOf(name)}\``,
      dev === undefined ? spell(standard) : `${spell(standard)} (dev: ${spell(dev)})`,
    ]),
  )
})

test('the table of commands in docs/operations/operations.md has every command', () => {
  const told = docTable('operations/operations.md', 'Commands').map(([command]) => command)

  assert.deepEqual(
    told,
    commands.map((command) => `\`twain ${formOf(command)}\``),
  )
})

function spell(value: string | number | boolean | null): string {
  return value === null ? 'none' : `\`${value}\``
}
