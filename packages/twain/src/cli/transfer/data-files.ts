// The names of files with rows: `Post.ndjson`.

import { extname } from 'node:path'
import type { DataFormat } from '#records'

const extensions: Readonly<Record<string, DataFormat>> = {
  '.csv': 'csv',
  '.tsv': 'csv',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.json': 'json',
}

/** Null: the name does not say it. */
export function formatOfName(file: string): DataFormat | null {
  return extensions[extname(file).toLowerCase()] ?? null
}

/** The folder with the bytes of files, each under its id, inside a folder of rows. */
export const bytesFolder = 'files'

/** The name of a type and of a format. */
export function fileNameOf(type: string, format: DataFormat): string {
  return `${type}.${format}`
}
