// `twain print`: what a schema file gives, as text: the GraphQL schema, the OpenAPI document of the REST face, its state
// machines as drawings, or the whole contract in the nine parts of the convention.

import { printSchema } from '#graphql'
import { readSchema } from '#main'
import { loadOpenapiText } from '#rest'
import { contractText } from '../contract/contract-text.ts'
import { drawStateMachines } from '../report/draw-state-machines.ts'
import type { Terminal } from '../report/terminal.ts'
import type { CommandLine } from '../settings/command-line.ts'

type PrintCommandLine = Pick<CommandLine & { kind: 'run' }, 'file' | 'options' | 'settings'>

/** Gives the exit code; throws what is wrong with the file. */
export async function print({ file, options, settings }: PrintCommandLine, surface: Terminal): Promise<number> {
  const texts = ['graphql', 'openapi', 'states', 'contract'].filter((text) => options.has(text))
  if (texts.length > 1) {
    surface.err(
      `error ${texts.map((text) => `--${text}`).join(' and ')} are several texts; one is printed at a time.\n`,
    )
    return 2
  }
  const { model } = await readSchema(file)
  if (options.has('contract')) surface.out(await contractText(model, settings))
  else if (options.has('openapi')) surface.out(await loadOpenapiText(model, settings.limits))
  else surface.out(options.has('states') ? drawStateMachines(model) : printSchema(model))
  return 0
}
