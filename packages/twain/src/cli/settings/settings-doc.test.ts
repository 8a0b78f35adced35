// docs/reference/settings.md lists every setting as the settings table has it: flag, variable and default. docs/reference/cli.md
// lists every command with its options.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { docTable } from '#doc-table'
import { commands, formOf } from './command-table.ts'
import { flagOf, settings, variableOf } from './settings.ts'

/** The headings of docs/reference/settings.md, each with a table. */
const groups = [
  'Server and data',
  'Database',
  'Initial data',
  'Accounts and tokens',
  'Files',
  'GraphQL',
  'Events',
  'Webhooks',
  'Background jobs',
  'Mail',
  'HTTP',
  'Logs',
  'Limits',
]

test('the tables of docs/reference/settings.md are the settings table, in its order', () => {
  const documented = groups
    .flatMap((heading) => docTable('reference/settings.md', heading))
    .map((cells) => cells.slice(0, 4))

  assert.deepEqual(
    documented,
    settings.map(({ name, default: standard, dev }) => [
      `\`${name}\``,
      `\`--${flagOf(name)}\``,
      `\`${variableOf(name)}\``,
      dev === undefined ? spell(standard) : `${spell(standard)} (dev: ${spell(dev)})`,
    ]),
  )
})

test('the table of commands in docs/reference/cli.md has every command', () => {
  const documented = docTable('reference/cli.md', 'Commands').map(([command]) => command)

  assert.deepEqual(
    documented,
    commands.map((command) => `\`twain ${formOf(command)}\``),
  )
})

test('the section of each command in docs/reference/cli.md has its options, in their order', () => {
  for (const { name, options } of commands) {
    assert.deepEqual(
      docTable('reference/cli.md', `twain ${name}`).map(([option]) => option),
      options.map((option) => `\`--${option.name}${option.value === null ? '' : ` ${option.value}`}\``),
      name,
    )
  }
})

function spell(value: string | number | boolean | null): string {
  return value === null ? 'none' : `\`${value}\``
}
