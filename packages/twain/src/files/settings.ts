// The settings `files.…`: where file contents are stored. By default in the data folder or the database.

import type { S3Settings } from './s3-bytes.ts'

export interface FileSettings {
  /** The URL of S3-compatible storage. */
  endpoint: string | null
  bucket: string | null
  region: string
  accessKey: string | null
  secretKey: string | null
}

export const defaultFileSettings: FileSettings = {
  endpoint: null,
  bucket: null,
  region: 'us-east-1',
  accessKey: null,
  secretKey: null,
}

/** Null if no S3 storage is configured. */
export function storageOf({ endpoint, bucket, region, accessKey, secretKey }: FileSettings): S3Settings | null {
  if (endpoint === null || bucket === null || accessKey === null || secretKey === null) return null
  return { endpoint, bucket, region, accessKey, secretKey }
}

/** A sentence for each problem of the combined settings. */
export function fileMistakes({ endpoint, bucket, accessKey, secretKey }: FileSettings): string[] {
  const mistakes: string[] = []
  const parts = Object.entries({ endpoint, bucket, accessKey, secretKey })
  const missing = parts.filter(([, value]) => value === null).map(([name]) => `files.${name}`)
  if (missing.length > 0 && missing.length < parts.length) {
    const names = parts.map(([name]) => `files.${name}`).join(', ')
    mistakes.push(`${names} belong together; ${missing.join(' and ')} is missing.`)
  }
  if (endpoint !== null && !/^https?:\/\/[^/?#]+\/?$/.test(endpoint)) {
    mistakes.push('files.endpoint must be a URL such as https://s3.eu-central-1.amazonaws.com')
  }
  if (bucket !== null && !/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) {
    mistakes.push('files.bucket must be the name of a bucket: 3 to 63 lower-case letters, digits, dots and dashes.')
  }
  return mistakes
}
