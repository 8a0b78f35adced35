// A variant of an image: the size, the fit and the format in which a request wants an uploaded image. Both APIs take the same
// four values. `variantQuery` is the only spelling of a variant: signatures cover it, and stored variants are found by it.

import type { Problem } from '#base'

export const imageFits = ['COVER', 'CONTAIN', 'INSIDE'] as const
export const imageFormats = ['WEBP', 'AVIF', 'JPEG', 'PNG'] as const

type ImageFit = (typeof imageFits)[number]
export type ImageFormat = (typeof imageFormats)[number]

export interface ImageVariant {
  /** In pixels; null follows from the other side. */
  width: number | null
  height: number | null
  /** Matters only if both sides are given. */
  fit: ImageFit
  format: ImageFormat
}

/** The values of a request; absent ones are undefined or null. */
export interface RequestedVariant {
  width?: unknown
  height?: unknown
  fit?: unknown
  format?: unknown
}

/** Null if the request wants the file as it is, or after a problem. `sizes` are those of the setting `files.sizes`. */
export function checkVariant(
  requested: RequestedVariant,
  path: string,
  sizes: readonly number[],
  problems: Problem[],
): ImageVariant | null {
  const given = Object.entries(requested).filter(([, value]) => value !== undefined && value !== null)
  if (given.length === 0) return null
  const before = problems.length
  const at = (name: string) => (path === '' ? name : `${path}.${name}`)
  if (sizes.length === 0) {
    const message = 'is not possible here: this server makes no variants of images. Its operator sets files.sizes.'
    problems.push({ path: at(given[0]![0]), code: 'RANGE', message })
    return null
  }
  const { width: askedWidth, height: askedHeight, fit: askedFit, format: askedFormat } = requested
  const width = checkSide(askedWidth, at('width'), sizes, problems)
  const height = checkSide(askedHeight, at('height'), sizes, problems)
  const fit = checkWord(askedFit, imageFits, 'INSIDE', at('fit'), problems)
  const format = checkWord(askedFormat, imageFormats, 'WEBP', at('format'), problems)
  if (problems.length > before) return null
  if (width === null && height === null) {
    const message = `is required, or height, for a variant of an image: one of ${sizes.join(', ')}.`
    problems.push({ path: at('width'), code: 'REQUIRED', message })
    return null
  }
  return { width, height, fit: width === null || height === null ? 'INSIDE' : fit, format }
}

/** `width=320&height=180&fit=COVER&format=WEBP`. */
export function variantQuery({ width, height, fit, format }: ImageVariant): string {
  const sides = [
    ...(width === null ? [] : [`width=${width}`]),
    ...(height === null ? [] : [`height=${height}`]),
    ...(width === null || height === null ? [] : [`fit=${fit}`]),
  ]
  return [...sides, `format=${format}`].join('&')
}

function checkSide(value: unknown, path: string, sizes: readonly number[], problems: Problem[]): number | null {
  if (value === undefined || value === null) return null
  if (typeof value !== 'number') problems.push({ path, code: 'TYPE', message: 'must be a whole number.' })
  else if (sizes.includes(value)) return value
  else problems.push({ path, code: 'RANGE', message: `must be one of the sizes of this server: ${sizes.join(', ')}.` })
  return null
}

function checkWord<Word extends string>(
  value: unknown,
  words: readonly Word[],
  standard: Word,
  path: string,
  problems: Problem[],
): Word {
  if (value === undefined || value === null) return standard
  const word = words.find((one) => one === value)
  if (word === undefined) problems.push({ path, code: 'TYPE', message: `must be one of ${words.join(', ')}.` })
  return word ?? standard
}
