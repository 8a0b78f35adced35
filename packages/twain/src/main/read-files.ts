// Reads the files of a service: the schema file or folder, the custom code in `twain.config.ts` beside it, and the trusted
// documents. Each reader throws one error with all mistakes of what it reads.

import { readFile } from 'node:fs/promises'
import { parseJson } from '#base'
import {
  type BoundCode,
  type BoundMigration,
  bindCode,
  CodeRejected,
  ConfigNotLoaded,
  loadConfig,
  loadMigrations,
} from '#code'
import { loadFolder, loadModel, type Mistake, type Model, SchemaMistakes, type SchemaSource } from '#model'
import { unsettableFields } from '#plan/explain'
import { StartRefused } from '#store'
import { isSchemaFolder, walkSchemaFolder } from './schema-files.ts'

export interface LoadedSchema {
  /** Of the file, or of the folder. */
  path: string
  isFolder: boolean
  /** The text that is stored and compared. */
  sdl: string
  /** The files as they are. */
  sources: readonly SchemaSource[]
  model: Model
}

/** The schema can't be read or has mistakes. `mistakes` and `sources` are the input of renderMistakes. */
export class SchemaRejected extends Error {
  readonly sources: readonly SchemaSource[]
  readonly mistakes: Mistake[]

  constructor(message: string, sources: readonly SchemaSource[], mistakes: Mistake[], cause: unknown) {
    super(message, { cause })
    this.name = 'SchemaRejected'
    this.sources = sources
    this.mistakes = mistakes
  }
}

/** `path` is a schema file, or a folder of them. */
export async function readSchema(path: string): Promise<LoadedSchema> {
  return isSchemaFolder(path) ? readFolder(path) : loadSchema(path, [await readSource(path)], false)
}

async function readFolder(folder: string): Promise<LoadedSchema> {
  const { files } = listFiles(folder)
  if (files.length === 0) {
    const hint = 'Name a schema file, or a folder that has some.'
    throw new SchemaRejected(`${folder} has no file whose name ends with .graphql. ${hint}`, [], [], null)
  }
  return loadSchema(folder, await Promise.all(files.map(readSource)), true)
}

function listFiles(folder: string) {
  try {
    return walkSchemaFolder(folder)
  } catch (error) {
    throw new SchemaRejected(unreadable(folder, error as NodeJS.ErrnoException), [], [], error)
  }
}

/** Throws SchemaRejected. */
export function loadSchema(path: string, sources: readonly SchemaSource[], isFolder: boolean): LoadedSchema {
  try {
    if (isFolder) return { path, isFolder, sources, ...loadFolder(sources, path) }
    const { text } = sources[0]!
    return { path, isFolder, sources, sdl: text, model: loadModel(text, path) }
  } catch (error) {
    if (!(error instanceof SchemaMistakes)) throw error
    throw rejected(path, sources, error.mistakes, error)
  }
}

function rejected(path: string, sources: readonly SchemaSource[], mistakes: Mistake[], cause: unknown): SchemaRejected {
  const count = mistakes.length === 1 ? 'a mistake' : `${mistakes.length} mistakes`
  return new SchemaRejected(`${path} has ${count}.`, sources, mistakes, cause)
}

async function readSource(file: string): Promise<SchemaSource> {
  try {
    return { file, text: new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file)) }
  } catch (error) {
    throw new SchemaRejected(unreadable(file, error as NodeJS.ErrnoException), [], [], error)
  }
}

function unreadable(file: string, error: NodeJS.ErrnoException): string {
  switch (error.code) {
    case 'ENOENT':
      return `There is no file ${file}.`
    case 'EACCES':
      return `${file} can't be read: permission denied.`
    case 'ERR_ENCODING_INVALID_ENCODED_DATA':
      return `${file} is not UTF-8 text.`
    default:
      return `${file} can't be read: ${error.message}`
  }
}

export interface CodedSchema extends LoadedSchema {
  code: BoundCode
  /** The default export of the config file: the same object until the file changes. */
  exported: unknown
  /** The data migrations beside the schema, in their order. */
  migrations: readonly BoundMigration[]
}

/** Reads the schema, the custom code and the data migrations. Throws SchemaRejected or CodeRejected. */
export async function readCodedSchema(path: string): Promise<CodedSchema> {
  const schema = await readSchema(path)
  const unsettable = unsettableFields(schema.model)
  if (unsettable.length > 0) throw rejected(path, schema.sources, unsettable, null)
  const exported = await load(path)
  const code = bindCode(exported, schema.model)
  const mistakes: string[] = []
  const migrations = await loadMigrations(path, schema.model, mistakes)
  if (mistakes.length > 0) throw new CodeRejected(mistakes)
  return { ...schema, exported, code, migrations }
}

async function load(file: string): Promise<unknown> {
  try {
    return (await loadConfig(file))?.exported ?? null
  } catch (error) {
    throw error instanceof ConfigNotLoaded ? new CodeRejected([error.message]) : error
  }
}

/** Reads the file of trusted GraphQL documents: a JSON object from hash to document. Throws StartRefused. */
export async function readDocuments(file: string): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new StartRefused(`The trusted documents can't be read: ${error.message}`)
  })
  const json = parseJson(text)
  if (!json.ok) throw new StartRefused(`${file} is not JSON: ${json.message}`)
  if (typeof json.value !== 'object' || json.value === null || Array.isArray(json.value)) {
    throw new StartRefused(`${file} must be a JSON object from hash to document.`)
  }
  const entries = Object.entries(json.value)
  const wrong = entries.filter(([, document]) => typeof document !== 'string').map(([hash]) => `"${hash}"`)
  if (wrong.length > 0) throw new StartRefused(`${file}: these hashes have no document text: ${wrong.join(', ')}.`)
  return new Map(entries as [string, string][])
}
