// Reads the schema file into a Model, or throws one error with all its mistakes.

import { readFile } from 'node:fs/promises'
import { loadModel, type Mistake, type Model, SchemaMistakes } from '#model'

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
