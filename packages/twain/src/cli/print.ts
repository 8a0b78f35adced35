// `twain print`: what a schema file gives, as text: the GraphQL schema, or the OpenAPI document of the REST face.

import { printContract } from '#graphql'
import { readSchema } from '#main'
import { openapiText } from '#rest'
import type { CommandLine } from './command-line.ts'
import type { Surface } from './surface.ts'

type Line = Pick<CommandLine & { kind: 'run' }, 'file' | 'options' | 'settings'>

/** Gives the exit code; throws what is wrong with the file. */
export async function print({ file, options, settings }: Line, surface: Surface): Promise<number> {
  if (options.has('openapi') && options.has('graphql')) {
    surface.err('error --openapi and --graphql are two texts; one of them is printed at a time.\n')
    return 2
  }
  const { model } = await readSchema(file)
  surface.out(options.has('openapi') ? openapiText(model, settings.limits) : printContract(model))
  return 0
}
