// `twain print`: prints the GraphQL schema of a schema file, its OpenAPI document, its state machines as diagrams, the API contract
// in nine parts, or the JSON Schema of the settings. `twain types`: writes the TypeScript types of its custom code.

import { writeFile } from 'node:fs/promises'
import { basename, join, relative, resolve } from 'node:path'
import { configFolder, generateTypes } from '#code'
import { printSchema } from '#graphql'
import { readSchema } from '#main'
import { loadOpenapiText, openapiProfiles } from '#rest'
import { contractText } from '../contract/contract-text.ts'
import { drawStateMachines } from '../contract/states-part.ts'
import type { Terminal } from '../report/terminal.ts'
import type { CommandLine } from '../settings/command-line.ts'
import { settingsSchema } from '../settings/settings-schema.ts'

type PrintCommandLine = Pick<CommandLine & { kind: 'run' }, 'file' | 'options' | 'settings'>

/** Returns the exit code. Throws SchemaRejected. */
export async function print({ file, options, settings }: PrintCommandLine, surface: Terminal): Promise<number> {
  const texts = ['graphql', 'openapi', 'states', 'contract', 'settings-schema'].filter((text) => options.has(text))
  if (texts.length > 1) {
    surface.err(`error ${texts.map((text) => `--${text}`).join(' and ')} cannot be combined.\n`)
    return 2
  }
  const profile = openapiProfiles.find((one) => one === (options.get('profile') ?? 'clients'))
  if (profile === undefined || (options.has('profile') && !options.has('openapi'))) {
    surface.err(`error --profile is one of ${openapiProfiles.join(', ')}, and needs --openapi.\n`)
    return 2
  }
  if (options.has('settings-schema')) {
    surface.out(settingsSchema())
    return 0
  }
  const { model } = await readSchema(file)
  if (options.has('contract')) surface.out(await contractText(model, settings))
  else if (options.has('openapi')) surface.out(await loadOpenapiText(model, settings.limits, profile))
  else surface.out(options.has('states') ? drawStateMachines(model) : printSchema(model))
  return 0
}

type TypesCommandLine = Pick<CommandLine & { kind: 'run' }, 'file' | 'options'>

/** Writes a module beside the schema, or to `--to`. Returns the exit code. Throws SchemaRejected. */
export async function types({ file, options }: TypesCommandLine, surface: Terminal): Promise<number> {
  const { model } = await readSchema(file)
  const text = generateTypes(model, basename(resolve(file)), options.has('system'))
  const to = options.get('to') ?? join(configFolder(file), 'twain.types.ts')
  if (to === '-') {
    surface.out(text)
    return 0
  }
  await writeFile(to, text)
  surface.out(`Wrote the types of ${relative('', file)} to ${relative('', to)}.\n`)
  return 0
}
