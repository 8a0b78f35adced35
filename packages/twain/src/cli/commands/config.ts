// `twain config`: prints each setting, its value, and which flag, variable or file sets it.

import { createPaint } from '../report/paint.ts'
import type { Terminal } from '../report/terminal.ts'
import type { CommandLine } from '../settings/command-line.ts'
import { splitAddresses } from '../settings/database-addresses.ts'
import {
  defaultOf,
  findValue,
  type Setting,
  type SettingSources,
  type SettingValue,
  settings,
} from '../settings/settings.ts'

type ConfigCommandLine = Pick<CommandLine & { kind: 'run' }, 'options' | 'sources'>

interface ShownSetting {
  name: string
  value: SettingValue
  source: string
}

const defaultSource = 'default'

/** Returns the exit code. */
export function config({ options, sources }: ConfigCommandLine, surface: Terminal): number {
  const shown = settings.map((setting) => showSetting(setting, sources))
  surface.out(options.has('json') ? `${JSON.stringify(shown, null, 2)}\n` : printTable(shown, surface))
  return 0
}

function showSetting(setting: Setting, sources: SettingSources): ShownSetting {
  const { name } = setting
  const found = findValue(name, sources)
  if (found === null) return { name, value: defaultOf(setting, sources), source: defaultSource }
  return { name, value: hideSecrets(setting, found.text), source: found.source }
}

function hideSecrets({ secret, address }: Setting, text: string): string {
  if (secret === true) return '****'
  return address === true ? splitAddresses(text).map(hidePassword).join(',') : text
}

function hidePassword(address: string): string {
  if (!URL.canParse(address)) return address // a folder
  const url = new URL(address)
  if (url.password !== '') url.password = '****'
  return url.href.replace(/([?&]password=)[^&]*/g, '$1****')
}

function printTable(shown: readonly ShownSetting[], surface: Terminal): string {
  const paint = createPaint(surface.colours.out)
  const rows = shown.map(({ name, value, source }) => [name, value === null ? '-' : String(value), source] as const)
  const [nameWidth, valueWidth] = [0, 1].map((at) => Math.max(...rows.map((row) => row[at]!.length)))
  return rows
    .map(([name, value, source]) => {
      const line = `${name.padEnd(nameWidth!)}  ${value.padEnd(valueWidth!)}  ${source}\n`
      return source === defaultSource ? paint.dim(line) : line
    })
    .join('')
}
