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
      throw new ConfigNotLoaded(await describe(error, path), { cause: error })
    }
  }
  return null
}

async function describe(error: unknown, path: string): Promise<string> {
  const name = basename(path)
  if (!(error instanceof Error)) return `${name} can't be loaded: ${String(error)}`
  const place = placeOf(error, path) ?? (error instanceof SyntaxError ? await placeBySyntaxCheck(path) : null)
  const isCommonjs = name === configName && /outside a module|Unexpected token 'export'/.test(error.message)
  const hint = isCommonjs ? `\nNode reads it as CommonJS, because of package.json. Rename it to ${moduleName}.` : ''
  if (place === null) return `${name} can't be loaded: ${error.message}${hint}`
  const frame = place.frame === null ? '' : `\n${place.frame}`
  return `${place.file}:${place.line}:${place.column} can't be loaded: ${error.message}${frame}${hint}`
}

interface Place {
  /** As seen from the folder of the schema file. */
  file: string
  line: number
  column: number
  /** The line of the file, and below it a mark at the column; null if Node does not show it. */
  frame: string | null
}

function placeOf({ stack = '' }: Error, path: string): Place | null {
  return framedPlace(stack, path) ?? stackPlace(stack, path)
}

/** Node puts the place of a syntax error before its message: the file with a line, then lines of the file, one of them followed
 *  by marks. There are no marks if the file ends too early: then the last of these lines ends there. */
function framedPlace(text: string, path: string): Place | null {
  const lines = text.split('\n')
  const [, file, line] = /^(?:file:\/\/)?(\/.*?)(?:\?[^:]*)?:(\d+)$/.exec(lines[0] ?? '') ?? []
  if (file === undefined) return null
  const place = { file: shown(file, path), line: Number(line) }
  const marks = lines.findIndex((one, index) => index > 1 && /^\s*\^+\s*$/.test(one))
  if (marks > 0) {
    const [marked = '', mark = ''] = lines.slice(marks - 1)
    return { ...place, column: mark.indexOf('^') + 1, frame: `  ${marked}\n  ${mark}` }
  }
  const last = lines.slice(1, lines.indexOf('', 1)).at(-1) ?? ''
  return { ...place, column: last.length + 1, frame: `  ${last}\n  ${' '.repeat(last.length)}^` }
}

/** The first place outside of Node in the stack of an error that the file threw. */
function stackPlace(stack: string, path: string): Place | null {
  const folder = dirname(path)
  for (const line of stack.split('\n')) {
    const [, file, row, column] = /(?:file:\/\/)?(\/[^?()]*)(?:\?[^:]*)?:(\d+):(\d+)\)?$/.exec(line) ?? []
    if (file === undefined || !decoded(file).startsWith(folder)) continue
    return { file: shown(file, path), line: Number(row), column: Number(column), frame: null }
  }
  return null
}

/** The engine does not tell the place of every syntax error, but `node --check` prints it. */
function placeBySyntaxCheck(path: string): Promise<Place | null> {
  return new Promise((done) => {
    execFile(process.execPath, ['--check', path], { timeout: 5000 }, (_error, _out, text) =>
      done(framedPlace(text, path)),
    )
  })
}

function shown(file: string, path: string): string {
  return relative(dirname(path), decoded(file))
}

function decoded(file: string): string {
  return fileURLToPath(`file://${file}`)
}
