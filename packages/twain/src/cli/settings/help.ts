// The help text that `--help` prints, built from the tables of commands and settings.

import { configName } from '#code'
import { type CommandName, commands, formOf, type Option } from './command-table.ts'
import { flagOf, settings, variableOf } from './settings.ts'

export function help(name: CommandName | null): string {
  const command = commands.find((one) => one.name === name)
  if (command === undefined) return overview()
  const rows = settings
    .filter((setting) => command.settings.includes(setting.name))
    .map((setting) => settingRow(setting, command.name === 'dev'))
  const options = command.options.map(optionRow)
  return `twain ${formOf(command)}: ${command.about}

${command.more}
${options.length === 0 ? '' : `\nOptions\n${columns(options)}\n`}${rows.length === 0 ? '' : `\nSettings\n${columns(rows)}\n\n${variables}\n`}`
}

function overview(): string {
  return `twain: one GraphQL schema file, served as a REST API and a GraphQL API over the same data

  twain dev schema.graphql

Commands
${columns(commands.map((command): [string, string] => [formOf(command), command.about]))}

  FILE is a schema file, or a folder with all of them.
  twain help COMMAND (or twain COMMAND --help) prints its options; twain --version prints the version.
`
}

const variables = `Each setting is a flag, an environment variable and a member of ${configName} beside the schema:
--limits-depth, ${variableOf('limits.depth')} and { limits: { depth } }. A flag overrides a variable, a variable overrides
.env in the current folder, and .env overrides the file. ${variableOf('auth.secret')}_FILE names a file with the value.
A limit of 0 means no limit.`

function settingRow(setting: (typeof settings)[number], dev: boolean): [string, string] {
  const value = dev && setting.dev !== undefined ? setting.dev : setting.default
  const standard = value === null ? '' : ` (${value})`
  return [`--${flagOf(setting.name)} ${setting.value}`, `${setting.about}${standard}`]
}

function optionRow({ name, value, about }: Option): [string, string] {
  return [`--${name}${value === null ? '' : ` ${value}`}`, about]
}

function columns(rows: [string, string][]): string {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}   ${right}`).join('\n')
}
