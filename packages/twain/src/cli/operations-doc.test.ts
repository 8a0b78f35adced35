// docs/operations.md lists every setting, as the settings table has it: flag, variable and default.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { commands, formOf } from './commands.ts'
import { flagOf, settings, variableOf } from './settings.ts'

const doc = readFileSync(new URL('../../../../docs/operations.md', import.meta.url), 'utf8')

test('the table of settings in docs/operations.md is the settings table, in its order', () => {
  const told = rowsUnder('Settings').map((cells) => cells.slice(0, 4))

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

test('the table of commands in docs/operations.md has every command', () => {
  const told = rowsUnder('Commands').map(([command]) => command)

  assert.deepEqual(
    told,
    commands.map((command) => `\`twain ${formOf(command)}\``),
  )
})

function spell(value: string | number | boolean | null): string {
  return value === null ? 'none' : `\`${value}\``
}

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
