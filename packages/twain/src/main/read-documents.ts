// Reads the file of trusted GraphQL documents: a JSON object from hash to document.

import { readFile } from 'node:fs/promises'
import { parseJson } from '#base'
import { StartRefused } from '#store'

/** Throws StartRefused. */
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
