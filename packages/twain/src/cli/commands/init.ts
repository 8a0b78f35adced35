// `twain init`: creates the folder of a new service from a template. `npm create twain` calls it.

import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { didYouMean } from '#base'
import { generateTypes } from '#code'
import { readSchema } from '#main'
import { readTemplate, type TemplateName, templateNames } from '../init/templates.ts'
import { createPaint } from '../report/paint.ts'
import type { Terminal } from '../report/terminal.ts'
import { twainVersion } from '../report/version.ts'
import type { CommandLine } from '../settings/command-line.ts'

type InitCommandLine = Pick<CommandLine & { kind: 'run' }, 'file' | 'options'>

/** Returns the exit code: 1 if the folder has files, 2 if there is no such template. */
export async function init({ file: folder, options }: InitCommandLine, surface: Terminal): Promise<number> {
  const paint = createPaint(surface.colours.err)
  const named = options.get('template') ?? 'minimal'
  const template = templateNames.find((name) => name === named)
  if (template === undefined) {
    const near = didYouMean(named, templateNames) || ` The templates are ${templateNames.join(' and ')}.`
    surface.err(`${paint.red('error')} There is no template "${named}".${near}\n`)
    return 2
  }
  if (!(await isEmpty(folder))) {
    surface.err(`${paint.red('error')} ${folder} has files already. Name a new folder: twain init FOLDER\n`)
    return 1
  }
  const count = await writeTemplate(template, folder)
  const place = relative('', folder)
  surface.out(`Created ${place === '' ? 'a service' : place} from the template ${template}: ${count} files.

${place === '' ? '' : `  cd ${/^[\w./-]+$/.test(place) ? place : `'${place}'`}\n`}  npm install
  npm run dev
`)
  return 0
}

async function isEmpty(folder: string): Promise<boolean> {
  try {
    return (await readdir(folder)).every((name) => name === '.git')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true
    throw error
  }
}

/** Returns the number of files. */
async function writeTemplate(template: TemplateName, folder: string): Promise<number> {
  const title = titleOf(basename(resolve(folder)))
  const files = await readTemplate(template, { name: packageName(title), title, version: twainVersion() })
  for (const [path, text] of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  const schemaFile = 'schema.graphql'
  const { model } = await readSchema(join(folder, schemaFile))
  await writeFile(join(folder, 'twain.types.ts'), generateTypes(model, schemaFile))
  return files.size + 1
}

/** `my-app` is "My app". */
function titleOf(folderName: string): string {
  const words = folderName.replace(/[^\p{L}\p{N}]+/gu, ' ').trim()
  return words === '' ? 'My app' : words[0]!.toUpperCase() + words.slice(1)
}

/** Names of npm packages have small letters, digits and hyphens. */
function packageName(title: string): string {
  const name = title
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
  return name === '' ? 'app' : name
}
