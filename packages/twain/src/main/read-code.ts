// The contract together with the code that it wants: the schema file, and `twain.config.ts` beside it.

import { type BoundCode, bindCode, CodeRejected, configName, loadConfig } from '#code'
import { type LoadedSchema, readSchema } from './read-schema.ts'

export interface CodedSchema extends LoadedSchema {
  code: BoundCode
  /** What the config file exports: the same object for as long as the file is not saved. */
  exported: unknown
}

/** Throws SchemaRejected or CodeRejected. */
export async function readCodedSchema(file: string): Promise<CodedSchema> {
  const schema = await readSchema(file)
  const exported = await load(file)
  return { ...schema, exported, code: bindCode(exported, schema.model) }
}

async function load(file: string): Promise<unknown> {
  try {
    return (await loadConfig(file))?.exported ?? null
  } catch (error) {
    throw new CodeRejected([`${configName} can't be run: ${error instanceof Error ? error.message : String(error)}`])
  }
}
