// `twain types`: the types of a contract's own code, as a TypeScript module beside the schema file.

import { writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { generateTypes } from '#code'
import { readSchema } from '#main'
import type { Terminal } from '../report/terminal.ts'
import type { CommandLine } from '../settings/command-line.ts'

type TypesCommandLine = Pick<CommandLine & { kind: 'run' }, 'file' | 'options'>

/** Gives the exit code; throws what is wrong with the file. */
export async function types({ file, options }: TypesCommandLine, surface: Terminal): Promise<number> {
  const { model } = await readSchema(file)
  const text = generateTypes(model, basename(file))
  const to = options.get('to') ?? join(dirname(file), 'twain.types.ts')
  if (to === '-') {
    surface.out(text)
    return 0
  }
  await writeFile(to, text)
  surface.out(`${relative('', to)} has the types of ${relative('', file)}.\n`)
  return 0
}
