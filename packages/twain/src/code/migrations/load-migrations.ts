// Loads the data migrations of a service: the files `NNN-name.ts` of the folder `migrations` beside the schema, in their order.

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Model } from '#model'
import { configFolder, describeLoadError } from '../load-config.ts'
import { type BoundMigration, bindMigration } from './bind-migration.ts'

const migrationsName = 'migrations'

export function migrationsFolder(schema: string): string {
  return join(configFolder(schema), migrationsName)
}

/** A number, and words: 001-fill-slugs.ts. */
const nameForm = /^(\d{3,16})-[A-Za-z0-9][A-Za-z0-9_-]*$/

/** Node reads the latter as an ES module whatever `package.json` says. */
const extension = /\.m?ts$/

/** Modules that migrations import begin with _. */
const isOther = (name: string): boolean => /^[._]|\.(md|json)$/.test(name) || name.endsWith('.d.ts')

/** Adds to `mistakes` what is wrong with a file. */
export async function loadMigrations(schema: string, model: Model, mistakes: string[]): Promise<BoundMigration[]> {
  const folder = migrationsFolder(schema)
  const migrations: BoundMigration[] = []
  for (const { name, file } of migrationFiles(folder, mistakes)) {
    const path = join(folder, file)
    const shown = `${migrationsName}/${file}`
    try {
      const { mtimeMs } = statSync(path)
      const module = (await import(`${pathToFileURL(path).href}?saved=${mtimeMs}`)) as { default?: unknown }
      const hash = createHash('sha256').update(readFileSync(path)).digest('hex')
      const found = { name, file: shown, folder: configFolder(schema), hash }
      const bound = bindMigration(module.default, found, model, mistakes)
      if (bound !== null) migrations.push(bound)
    } catch (error) {
      mistakes.push(await describeLoadError(error, path, configFolder(schema)))
    }
  }
  return migrations
}

interface NamedFile {
  file: string
  /** The file without its extension. */
  name: string
  number: number
}

function migrationFiles(folder: string, mistakes: string[]): NamedFile[] {
  const files: NamedFile[] = []
  for (const file of filesIn(folder)) {
    if (isOther(file)) continue
    const name = file.replace(extension, '')
    const number = numberOf(name)
    if (name === file || number === null)
      mistakes.push(
        `${migrationsName}/${file} has no name of a migration. Call it NNN-name.ts, such as 001-fill-slugs.ts; modules that migrations import begin with _.`,
      )
    else files.push({ file, name, number })
  }
  files.sort((a, b) => a.number - b.number)
  for (const [index, { file, number }] of files.entries()) {
    const before = files[index - 1]
    if (before?.number !== number) continue
    mistakes.push(
      `${migrationsName}/${file} has the number of ${before.file}. Give the newer one the next free number, such as ${nextName(files)}.`,
    )
  }
  return files
}

/** Null: it is no name of a migration. */
export function numberOf(name: string): number | null {
  const [, digits] = nameForm.exec(name) ?? []
  return digits === undefined ? null : Number(digits)
}

function nextName(files: readonly NamedFile[]): string {
  const last = files.at(-1)!
  const digits = nameForm.exec(last.name)![1]!.length
  return `${String(last.number + 1).padStart(digits, '0')}-…`
}

function filesIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true })
    return entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return []
    throw error
  }
}
