// Reads the files of a service: the schema file, the custom code in `twain.config.ts` beside it, and the trusted documents.
// Each reader throws one error with all mistakes of its file.

import { readFile } from 'node:fs/promises'
import { parseJson } from '#base'
import { type BoundCode, bindCode, CodeRejected, ConfigNotLoaded, loadConfig } from '#code'
import { loadModel, type Mistake, type Model, SchemaMistakes } from '#model'
import { StartRefused } from '#store'

export interface LoadedSchema {
  sdl: string
  model: Model
}

/** The file can't be read or has mistakes. `mistakes` and `sdl` are the input of renderMistakes. */
export class SchemaRejected extends Error {
  readonly sdl: string
  readonly mistakes: Mistake[]

  constructor(message: string, sdl: string, mistakes: Mistake[], cause: unknown) {
    super(message, { cause })
    this.name = 'SchemaRejected'
    this.sdl = sdl
    this.mistakes = mistakes
  }
}

export async function readSchema(file: string): Promise<LoadedSchema> {
  const sdl = await readText(file)
  try {
    return { sdl, model: loadModel(sdl, file) }
  } catch (error) {
    if (!(error instanceof SchemaMistakes)) throw error
    const { mistakes } = error
    const count = mistakes.length === 1 ? 'a mistake' : `${mistakes.length} mistakes`
    throw new SchemaRejected(`${file} has ${count}.`, sdl, mistakes, error)
  }
}

async function readText(file: string): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file))
  } catch (error) {
    throw new SchemaRejected(unreadable(file, error as NodeJS.ErrnoException), '', [], error)
  }
}

function unreadable(file: string, error: NodeJS.ErrnoException): string {
  switch (error.code) {
    case 'ENOENT':
      return `There is no file ${file}.`
    case 'EISDIR':
      return `${file} is a folder. Name a schema file, such as ${file.replace(/\/*$/, '')}/schema.graphql.`
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
}

/** Reads the schema file and the custom code. Throws SchemaRejected or CodeRejected. */
export async function readCodedSchema(file: string): Promise<CodedSchema> {
  const schema = await readSchema(file)
  const exported = await load(file)
  return { ...schema, exported, code: bindCode(exported, schema.model) }
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
