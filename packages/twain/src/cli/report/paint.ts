// Colours for terminals, plain text everywhere else.

import { styleText } from 'node:util'

export interface Paint {
  bold(text: string): string
  dim(text: string): string
  red(text: string): string
  green(text: string): string
  yellow(text: string): string
  cyan(text: string): string
}

export function createPaint(colour: boolean): Paint {
  const brush = (style: keyof Paint) => (text: string) =>
    colour ? styleText(style, text, { validateStream: false }) : text
  return {
    bold: brush('bold'),
    dim: brush('dim'),
    red: brush('red'),
    green: brush('green'),
    yellow: brush('yellow'),
    cyan: brush('cyan'),
  }
}

/** Node evaluates NO_COLOR, FORCE_COLOR and the capabilities of the terminal. */
export function hasColours(stream: NodeJS.WriteStream): boolean {
  return stream.isTTY === true && stream.hasColors()
}
