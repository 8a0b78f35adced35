// `twain types`: writes the types of custom code as a TypeScript module beside the schema file.

import { writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { generateTypes } from '#code'
import { readSchema } from '#main'
import type { Terminal } from '../report/terminal.ts'
import type { CommandLine } from '../settings/command-line.ts'

type TypesCommandLine = Pick<CommandLine & { kind: 'run' }, 'file' | 'options'>

/** Returns the exit code. Throws SchemaRejected. */
export async function types({ file, options }: TypesCommandLine, surface: Terminal): Promise<number> {
  const { model } = await readSchema(file)
  const text = generateTypes(model, basename(file))
  const to = options.get('to') ?? join(dirname(file), 'twain.types.ts')
  if (to === '-') {
    surface.out(text)
    return 0
  }
  await writeFile(to, text)
  surface.out(`Wrote the types of ${relative('', file)} to ${relative('', to)}.\n`)
  return 0
}
