// The arguments that ask for a variant of an image: on `url` of a file, and on each field that refers to one file.

import { imageFits, imageFormats } from '#plan'
import { block, described } from './sdl.ts'

const images = [
  ['The width in pixels: one of the sizes of the server (`files.sizes`).', 'width: Int'],
  [
    'The height in pixels, of the same sizes. Without one of the two sides, the image keeps its proportions.',
    'height: Int',
  ],
  ['How the image fits into width and height, if both are given; default: INSIDE.', 'fit: ImageFit'],
  ['Default: WEBP.', 'format: ImageFormat'],
] as const

/** Only `url` has descriptions; on other fields the arguments are the same. */
export function imageArguments(style: 'described' | 'plain'): string {
  return `(${images.map(([about, text]) => (style === 'described' ? described(about, text) : text)).join('\n')})`
}

const fits: Record<(typeof imageFits)[number], string> = {
  COVER: 'Fills width and height; what exceeds them is cut off.',
  CONTAIN: 'The whole image inside width and height; the rest is transparent, or white in a JPEG.',
  INSIDE: 'As large as width and height allow, with its own proportions, and never enlarged.',
}

export const imageTypes: readonly string[] = [
  described(
    'How an image fits into a width and a height.',
    block(
      'enum ImageFit',
      imageFits.map((fit) => described(fits[fit], fit)),
    ),
  ),
  described('The format of a variant of an image.', block('enum ImageFormat', [...imageFormats])),
]
