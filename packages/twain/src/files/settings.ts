// The settings `files.…`: where file contents are stored (by default in the data folder or the database), and in which sizes
// images are served.

export interface FileSettings {
  /** The URL of S3-compatible storage. */
  endpoint: string | null
  bucket: string | null
  region: string
  accessKey: string | null
  secretKey: string | null
  /** Of temporary keys. */
  sessionToken: string | null
  /** `aws`: the credential chain of AWS instead of keys. */
  credentials: 'keys' | 'aws'
  /** The widths and heights in which images are served, separated by commas; null: none. */
  sizes: string | null
  /** Images with more pixels are not made smaller. */
  maxPixels: number
}

/** The place of S3 storage. */
export interface S3Place {
  endpoint: string
  bucket: string
  region: string
}

export const defaultFileSettings: FileSettings = {
  endpoint: null,
  bucket: null,
  region: 'us-east-1',
  accessKey: null,
  secretKey: null,
  sessionToken: null,
  credentials: 'keys',
  sizes: null,
  maxPixels: 50_000_000,
}

/** The longest side of a variant of an image, and how many sizes there can be. Each file can have a variant for each pair. */
const maxSide = 4096
const maxSizes = 20

/** The sizes of images, ascending. */
export function imageSizesOf({ sizes }: Pick<FileSettings, 'sizes'>): number[] {
  const listed = (sizes ?? '').split(',').map((size) => size.trim())
  return [...new Set(listed.filter((size) => size !== '').map(Number))].sort((a, b) => a - b)
}

/** Null if no S3 storage is configured. */
export function storageOf({ endpoint, bucket, region }: FileSettings): S3Place | null {
  return endpoint === null || bucket === null ? null : { endpoint, bucket, region }
}

/** A sentence for each problem of the combined settings. */
export function fileMistakes(settings: FileSettings): string[] {
  const { endpoint, bucket, accessKey, secretKey, sessionToken, credentials } = settings
  const mistakes: string[] = []
  const isChain = credentials === 'aws'
  const parts = Object.entries(isChain ? { endpoint, bucket } : { endpoint, bucket, accessKey, secretKey })
  const missing = parts.filter(([, value]) => value === null).map(([name]) => `files.${name}`)
  if (isChain && (accessKey !== null || secretKey !== null || sessionToken !== null))
    mistakes.push(
      'files.credentials=aws finds the keys itself: leave out files.accessKey, files.secretKey and files.sessionToken.',
    )
  if (!isChain && sessionToken !== null && accessKey === null)
    mistakes.push('files.sessionToken belongs to files.accessKey and files.secretKey.')
  if (missing.length > 0 && (isChain || missing.length < parts.length)) {
    const names = parts.map(([name]) => `files.${name}`).join(', ')
    mistakes.push(`${names} belong together; ${missing.join(' and ')} is missing.`)
  }
  if (endpoint !== null && !/^https?:\/\/[^/?#]+\/?$/.test(endpoint)) {
    mistakes.push('files.endpoint must be a URL such as https://s3.eu-central-1.amazonaws.com')
  }
  if (bucket !== null && !/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) {
    mistakes.push('files.bucket must be the name of a bucket: 3 to 63 lower-case letters, digits, dots and dashes.')
  }
  const sizes = imageSizesOf(settings)
  if (sizes.length > maxSizes || sizes.some((size) => !Number.isInteger(size) || size < 1 || size > maxSide)) {
    mistakes.push(
      `files.sizes must list at most ${maxSizes} widths in pixels, from 1 to ${maxSide}, such as 160,320,640,1280.`,
    )
  }
  return mistakes
}
