// Makes a variant of an image with `sharp`, an optional peer, which is loaded only if `files.sizes` names sizes. `sharp` works in
// threads of its own, so the event loop goes on.
//
// Uploaded bytes are not trusted:
// 1. Only formats that browsers display are read, by their first bytes. `sharp` must see the same format in them. So SVG, PDF and
//    everything else that can refer to other resources is never read.
// 2. The header is read first: an image with more than `files.maxPixels` pixels is refused before a pixel is read.
// 3. Only the first frame of an animation is read. A truncated image is an error. An image that takes longer than some seconds
//    is given up.
// 4. The result has no metadata of the original: no place, no time, no camera. The orientation is applied first.

import type { Sharp, SharpOptions } from 'sharp'
import { ApiError } from '#base'
import type { ImageVariant } from '#plan'
import { StartRefused } from '#store'
import { type FileSettings, imageSizesOf } from '../settings.ts'
import { imageFormatOf } from './image-format.ts'

type SharpLibrary = typeof import('sharp').default

const maxSeconds = 10
/** The longest side that WebP and AVIF can have; for the side that a request leaves open. */
const maxSide = 16_383

/** Null if the settings name no sizes. Throws StartRefused if `sharp` can't be loaded. */
export async function openImageMaker(settings: FileSettings): Promise<ImageMaker | null> {
  return imageSizesOf(settings).length === 0 ? null : new ImageMaker(await loadSharp(), settings.maxPixels)
}

export class ImageMaker {
  readonly #sharp: SharpLibrary
  readonly #maxPixels: number

  /** `sharp` is the library. Published types must not name it: who makes no images need not install it. */
  constructor(sharp: unknown, maxPixels: number) {
    this.#sharp = sharp as SharpLibrary
    this.#maxPixels = maxPixels
  }

  /** Throws an ApiError if the bytes are no image that can be made smaller. */
  async make(bytes: Uint8Array, variant: ImageVariant): Promise<Buffer> {
    const format = imageFormatOf(bytes)
    if (format === null) throw noImage('it is none of JPEG, PNG, WebP, AVIF and GIF')
    const options: SharpOptions = { failOn: 'error', limitInputPixels: this.#maxPixels, pages: 1 }
    try {
      const {
        format: found,
        width,
        height,
      } = await this.#sharp(bytes, { ...options, limitInputPixels: false }).metadata()
      if (found !== format) throw noImage(`its first bytes are those of ${format}, and the rest is not`)
      if (width * height > this.#maxPixels) throw tooLarge(width, height, this.#maxPixels)
      return await encode(resize(this.#sharp(bytes, options).autoOrient(), variant), variant).toBuffer()
    } catch (error) {
      if (error instanceof ApiError) throw error
      throw /timeout/i.test(String(error)) ? new ImageTimeout() : noImage('it is damaged')
    }
  }
}

/** The image, or the load of the machine, is to blame: nobody knows which. */
export class ImageTimeout extends ApiError {
  static readonly retryAfterSeconds = 60

  constructor() {
    super('UNAVAILABLE', `The variant of the image was not made in ${maxSeconds} seconds.`, {
      hint: 'Try again later, ask for a smaller size or another format, or read the file without width, height, fit and format.',
      headers: { 'retry-after': String(ImageTimeout.retryAfterSeconds) },
    })
  }
}

function resize(image: Sharp, { width, height, fit }: ImageVariant): Sharp {
  if (width === null || height === null) {
    const box = { width: width ?? maxSide, height: height ?? maxSide }
    return image.resize({ ...box, fit: 'inside', withoutEnlargement: true })
  }
  if (fit === 'INSIDE') return image.resize({ width, height, fit: 'inside', withoutEnlargement: true })
  const background = { r: 255, g: 255, b: 255, alpha: 0 }
  return image.resize({ width, height, fit: fit === 'COVER' ? 'cover' : 'contain', background })
}

function encode(image: Sharp, { format }: ImageVariant): Sharp {
  const limited = image.toColourspace('srgb').timeout({ seconds: maxSeconds })
  switch (format) {
    case 'WEBP':
      return limited.webp({ quality: 80 })
    case 'AVIF':
      return limited.avif({ quality: 50, effort: 3 })
    case 'JPEG':
      return limited.flatten({ background: '#ffffff' }).jpeg({ quality: 80 })
    case 'PNG':
      return limited.png()
  }
}

function noImage(reason: string): ApiError {
  return new ApiError('UNSUPPORTED_MEDIA_TYPE', `This file has no variants of an image: ${reason}.`, {
    hint: 'Read the file without width, height, fit and format.',
  })
}

function tooLarge(width: number, height: number, maxPixels: number): ApiError {
  return new ApiError('PAYLOAD_TOO_LARGE', `The image has ${width} × ${height} pixels, more than ${maxPixels}.`, {
    hint: 'Read the file without width, height, fit and format. The setting files.maxPixels sets the maximum.',
  })
}

async function loadSharp(): Promise<SharpLibrary> {
  try {
    return (await import('sharp')).default
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_MODULE_NOT_FOUND') {
      throw new StartRefused('files.sizes needs another package: npm install sharp')
    }
    throw new StartRefused(`files.sizes needs the package sharp, which can't be loaded: ${(error as Error).message}`)
  }
}
