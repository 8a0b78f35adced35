// Loads `twain.config.ts`, which stands beside the schema. An error of the file has its line and column.

import { execFile } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

export const configName = 'twain.config.ts'

/** Node reads it as an ES module whatever `package.json` says. */
const moduleName = 'twain.config.mts'

const configNames = [configName, moduleName]

/** The folder of the config file and of what is generated for it: that of the schema file. A schema folder may contain them, or
 *  stand beside them. The working directory never stands beside them, so that a service does not load the code of another. */
export function configFolder(schema: string): string {
  const path = resolve(schema)
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return dirname(path)
  const isInside = path === resolve('') || configNames.some((name) => existsSync(join(path, name)))
  return isInside ? path : dirname(path)
}

/** The message names the place of the mistake. */
export class ConfigNotLoaded extends Error {}

/** The default export, the same object until the file changes; null without a file. A changed file is loaded again; the modules
 *  it imports are not. Rejects with ConfigNotLoaded. */
export async function loadConfig(schema: string): Promise<{ exported: unknown } | null> {
  const folder = configFolder(schema)
  for (const name of configNames) {
    const path = join(folder, name)
    const stats = statSync(path, { throwIfNoEntry: false })
    if (stats === undefined) continue
    try {
      const module = (await import(`${pathToFileURL(path).href}?saved=${stats.mtimeMs}`)) as { default?: unknown }
      return { exported: module.default ?? null }
    } catch (error) {
      throw new ConfigNotLoaded(await describeLoadError(error, path), { cause: error })
    }
  }
  return null
}

/** What is wrong with a module, with its place as seen from the folder. */
export async function describeLoadError(error: unknown, path: string, folder = dirname(path)): Promise<string> {
  const name = relative(folder, path)
  if (!(error instanceof Error)) return `${name} can't be loaded: ${String(error)}`
  const place = placeOf(error, folder) ?? (error instanceof SyntaxError ? await placeBySyntaxCheck(path, folder) : null)
  const isCommonjs = name.endsWith('.ts') && /outside a module|Unexpected token 'export'/.test(error.message)
  const moduleName = basename(path).replace(/\.ts$/, '.mts')
  const hint = isCommonjs ? `\nNode reads it as CommonJS, because of package.json. Rename it to ${moduleName}.` : ''
  if (place === null) return `${name} can't be loaded: ${error.message}${hint}`
  const frame = place.frame === null ? '' : `\n${place.frame}`
  return `${place.file}:${place.line}:${place.column} can't be loaded: ${error.message}${frame}${hint}`
}

/** Where the code below this folder threw the error: `migrations/001-slugs.ts:5:30`; null if the stack does not say it. */
export function thrownAt({ stack = '' }: Pick<Error, 'stack'>, folder: string): string | null {
  const place = stackPlace(stack, folder)
  return place && `${place.file}:${place.line}:${place.column}`
}

interface Place {
  /** As seen from the folder of the schema file. */
  file: string
  line: number
  column: number
  /** The line of the file, and below it a mark at the column; null if Node does not show it. */
  frame: string | null
}

function placeOf({ stack = '' }: Error, folder: string): Place | null {
  return framedPlace(stack, folder) ?? stackPlace(stack, folder)
}

/** Node puts the place of a syntax error before its message: the file with a line, then lines of the file, one of them followed
 *  by marks. There are no marks if the file ends too early: then the last of these lines ends there. */
function framedPlace(text: string, folder: string): Place | null {
  const lines = text.split('\n')
  const [, file, line] = /^(?:file:\/\/)?(\/.*?)(?:\?[^:]*)?:(\d+)$/.exec(lines[0] ?? '') ?? []
  if (file === undefined) return null
  const place = { file: shown(file, folder), line: Number(line) }
  const marks = lines.findIndex((one, index) => index > 1 && /^\s*\^+\s*$/.test(one))
  if (marks > 0) {
    const [marked = '', mark = ''] = lines.slice(marks - 1)
    return { ...place, column: mark.indexOf('^') + 1, frame: `  ${marked}\n  ${mark}` }
  }
  const last = lines.slice(1, lines.indexOf('', 1)).at(-1) ?? ''
  return { ...place, column: last.length + 1, frame: `  ${last}\n  ${' '.repeat(last.length)}^` }
}

/** The first place outside of Node in the stack of an error that the file threw. */
function stackPlace(stack: string, folder: string): Place | null {
  for (const line of stack.split('\n')) {
    const [, file, row, column] = /(?:file:\/\/)?(\/[^?()]*)(?:\?[^:]*)?:(\d+):(\d+)\)?$/.exec(line) ?? []
    if (file === undefined || !decoded(file).startsWith(folder)) continue
    if (decoded(file).slice(folder.length).includes('/node_modules/')) continue
    return { file: shown(file, folder), line: Number(row), column: Number(column), frame: null }
  }
  return null
}

/** The engine does not tell the place of every syntax error, but `node --check` prints it. */
function placeBySyntaxCheck(path: string, folder: string): Promise<Place | null> {
  return new Promise((done) => {
    execFile(process.execPath, ['--check', path], { timeout: 5000 }, (_error, _out, text) =>
      done(framedPlace(text, folder)),
    )
  })
}

function shown(file: string, folder: string): string {
  return relative(folder, decoded(file))
}

/** The text of a stack may be anything that looks like a path. */
function decoded(file: string): string {
  try {
    return fileURLToPath(`file://${file}`)
  } catch {
    return file
  }
}
