// Reads the schema file and the custom code in `twain.config.ts` beside it.

import { type BoundCode, bindCode, CodeRejected, configName, loadConfig } from '#code'
import { type LoadedSchema, readSchema } from './read-schema.ts'

export interface CodedSchema extends LoadedSchema {
  code: BoundCode
  /** The default export of the config file: the same object until the file changes. */
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
    throw new CodeRejected([`${configName} can't be loaded: ${error instanceof Error ? error.message : String(error)}`])
  }
}
