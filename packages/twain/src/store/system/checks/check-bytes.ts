// The bytes of uploaded files, against the checksums in their keys.

import { createHash } from 'node:crypto'
import { quoteText } from '../../tables/quote.ts'
import type { ByteChunks } from '../files/disk-chunks.ts'
import { hashIn, isOwnKey } from '../files/file-records.ts'
import type { SelectObjects, StoredFindings } from './stored-database.ts'

const keysPerStep = 1000

/** A server that runs may delete files meanwhile, the row before the bytes. */
export async function checkBytes(select: SelectObjects, read: (key: string) => ByteChunks): Promise<StoredFindings> {
  const found: StoredFindings = { wrong: [], unchecked: [] }
  let elsewhere = 0
  for (let last = ''; ; ) {
    const next = `SELECT DISTINCT bytes AS key FROM twain_file WHERE bytes > ${quoteText(last)} ORDER BY 1 LIMIT ${keysPerStep}`
    const keys = (await select(next)).map(({ key }) => String(key))
    for (const key of keys) {
      if (!isOwnKey(key)) elsewhere++
      else {
        const wrong = await checkKey(key, read)
        if (wrong !== null && (await isUsed(key))) found.wrong.push(wrong)
      }
    }
    if (keys.length < keysPerStep) break
    last = keys.at(-1)!
  }
  if (elsewhere > 0) found.unchecked.push(`${elsewhere} files are in S3-compatible storage.`)
  return found

  async function isUsed(key: string): Promise<boolean> {
    return (await select(`SELECT 1 AS used FROM twain_file WHERE bytes = ${quoteText(key)} LIMIT 1`)).length > 0
  }
}

async function checkKey(key: string, read: (key: string) => ByteChunks): Promise<string | null> {
  const hash = createHash('sha256')
  try {
    for await (const chunk of read(key)) hash.update(chunk)
  } catch (error) {
    return `The bytes ${key} of a file can't be read: ${(error as Error).message}.`
  }
  return hash.digest('hex') === hashIn(key)
    ? null
    : `The bytes ${key} of a file are missing, or not those that were uploaded.`
}
