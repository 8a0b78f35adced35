// Parses the command line into one plain record: the command to run, or every mistake in it.

import { parseArgs } from 'node:util'
import { didYouMean } from '#base'
import { type Command, type CommandName, commands } from './command-table.ts'
import { readConfigFile } from './config-file.ts'
import { defaultSchema } from './default-schema.ts'
import { readEnvironment, type Variables } from './environment.ts'
import { flagOf, readSettings, type SettingSources, type Settings, settings, variableOf } from './settings.ts'

export type CommandLine =
  | {
      kind: 'run'
      command: CommandName
      file: string
      /** All of them, if the command takes several. */
      files: readonly string[]
      settings: Settings
      /** What the settings were read from. */
      sources: SettingSources
      options: ReadonlyMap<string, string>
    }
  | { kind: 'help'; command: CommandName | null }
  | { kind: 'version' }
  | { kind: 'mistakes'; command: CommandName | null; mistakes: string[] }

/** `envFile` has the variables of `.env`. */
export async function readCommandLine(argv: string[], env: Variables, envFile: Variables = {}): Promise<CommandLine> {
  const { flags, requests, words, mistakes } = readFlags(argv)
  if (requests.has('version')) return { kind: 'version' }
  const [first, ...others] = words
  const helping = first === 'help'
  const word = helping ? others.shift() : first
  const command = commands.find(({ name }) => name === word) ?? null
  if (word !== undefined && command === null) {
    const names = commands.map(({ name }) => name)
    const near = didYouMean(word, names) || ` The commands are ${names.join(', ')}.`
    mistakes.unshift(`There is no command "${word}".${near}`)
    return { kind: 'mistakes', command: null, mistakes }
  }
  if (requests.has('help') || helping || (word === undefined && mistakes.length === 0)) {
    return { kind: 'help', command: command?.name ?? null }
  }
  if (command === null) return { kind: 'mistakes', command: null, mistakes }

  for (const flag of flags.keys()) {
    const isOption = command.options.some(({ name }) => name === flag)
    if (!isOption && !command.settings.some((name) => flagOf(name) === flag)) {
      mistakes.push(`twain ${command.name} does not take --${flag}.`)
    }
  }
  const [file = command.fileIs?.default, ...surplus] = others
  const { called, example } = command.fileIs ?? { called: 'a schema file', example: 'schema.graphql' }
  const needsFile = command.file && !command.options.some(({ name, needsNoFile }) => needsNoFile && flags.has(name))
  if (needsFile && file === undefined)
    mistakes.push(`twain ${command.name} needs ${called}: twain ${command.name} ${example}`)
  if (command.file && surplus.length > 0 && !command.takesFiles)
    mistakes.push(`twain ${command.name} takes ${called.replace(/^a /, 'one ')}; remove "${surplus.join('", "')}".`)
  if (!command.file && file !== undefined)
    mistakes.push(`twain ${command.name} takes flags only; remove "${others.join('", "')}".`)
  const schema = schemaFileOf(command, file, flags)
  const config = schema === undefined ? new Map() : await readConfigFile(schema, mistakes)
  // The command ignores variables of settings that it does not take.
  const { values, sources: envSources } = readEnvironment(command.settings.map(variableOf), env, envFile, mistakes)
  const dev = command.name === 'dev' || flags.has('dev')
  const sources: SettingSources = { flags, env: values, envSources, config, dev }
  const read = readSettings(sources, mistakes)
  if (mistakes.length > 0) return { kind: 'mistakes', command: command.name, mistakes }
  const options = new Map([...flags].filter(([flag]) => command.options.some(({ name }) => name === flag)))
  return { kind: 'run', command: command.name, file: file ?? '', files: others, settings: read, sources, options }
}

/** The schema file beside which the settings are. Undefined: the command takes none. */
function schemaFileOf(command: Command, file: string | undefined, flags: Flags['flags']): string | undefined {
  if (command.settings.length === 0) return undefined
  if (command.fileIs === undefined && command.file) return file
  return command.options.some(({ name }) => name === 'schema') ? (flags.get('schema') ?? defaultSchema()) : undefined
}

interface Flags {
  flags: Map<string, string>
  requests: Set<'help' | 'version'>
  words: string[]
  mistakes: string[]
}

/** Not `strict`: parseArgs would throw at the first mistake and suggest nothing. */
function readFlags(argv: string[]): Flags {
  const options = commands.flatMap((command) => command.options)
  const switches = options.filter(({ value }) => value === null).map(({ name }) => name)
  const known = [...settings.map(({ name }) => flagOf(name)), ...options.map(({ name }) => name)]
  const { tokens } = parseArgs({
    args: argv,
    strict: false,
    tokens: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean', short: 'v' },
      ...Object.fromEntries(
        known.map((name) => [
          name,
          { type: switches.includes(name) ? 'boolean' : 'string', ...(name === 'to' && { short: 'o' }) } as const,
        ]),
      ),
    },
  })
  const read: Flags = { flags: new Map(), requests: new Set(), words: [], mistakes: [] }
  for (const token of tokens) {
    if (token.kind === 'positional') read.words.push(token.value)
    if (token.kind !== 'option') continue
    const { name, rawName, value, inlineValue } = token
    if (name === 'help' || name === 'version') read.requests.add(name)
    else if (!known.includes(name)) {
      read.mistakes.push(
        `There is no flag ${rawName}.${didYouMean(
          rawName,
          [...known, 'help', 'version'].map((one) => `--${one}`),
        )}`,
      )
    } else if (switches.includes(name)) {
      if (value === undefined) read.flags.set(name, '')
      else read.mistakes.push(`${rawName} takes no value.`)
    } else if (value === undefined || (!inlineValue && /^-./.test(value))) {
      read.mistakes.push(`${rawName} needs a value.`)
    } else read.flags.set(name, repeated(read.flags.get(name), name, value))
  }
  return read
}

/** The values of a flag that may occur several times, each on a line. */
function repeated(before: string | undefined, name: string, value: string): string {
  const mayRepeat = commands.some(({ options }) => options.some((one) => one.name === name && one.mayRepeat))
  return before === undefined || !mayRepeat ? value : `${before}\n${value}`
}
