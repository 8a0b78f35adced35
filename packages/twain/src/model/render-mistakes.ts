// Prints mistakes for people: the place, the message, the source text with the place underlined, and the hint.

import type { Mistake } from './mistakes.ts'
import type { SchemaSource } from './parse/schema-sources.ts'

export function renderMistakes(
  mistakes: readonly Mistake[],
  sources: readonly SchemaSource[],
  options: { colour: boolean },
): string {
  const paint = options.colour ? colours : plain
  const wrong = new Set(mistakes.map(({ file }) => file))
  const linesOf = new Map(
    sources.filter(({ file }) => wrong.has(file)).map(({ file, text }) => [file, text.split(/\r\n|\n|\r/)]),
  )
  const lineAt = ({ file, line }: Mistake) => linesOf.get(file)?.[line - 1] ?? ''
  const blocks = mistakes.map((mistake) => renderMistake(mistake, lineAt(mistake), paint))
  return `${blocks.join('\n')}\n${paint.bold(countOf(mistakes))}\n`
}

interface MistakePaint {
  bold: (text: string) => string
  wrong: (text: string) => string
  dim: (text: string) => string
  hint: (text: string) => string
}

const colours: MistakePaint = {
  bold: (text) => `\x1b[1m${text}\x1b[22m`,
  wrong: (text) => `\x1b[1;31m${text}\x1b[39;22m`,
  dim: (text) => `\x1b[2m${text}\x1b[22m`,
  hint: (text) => `\x1b[36m${text}\x1b[39m`,
}

const same = (text: string) => text
const plain: MistakePaint = { bold: same, wrong: same, dim: same, hint: same }

function renderMistake(
  { file, line, column, length, message, hint }: Mistake,
  text: string,
  paint: MistakePaint,
): string {
  const gutter = ' '.repeat(String(line).length)
  // Tabs stay tabs, so that the underline aligns in the terminal.
  const indent = text.slice(0, column - 1).replace(/[^\t]/g, ' ')
  const underline = '^'.repeat(Math.max(1, Math.min(length ?? 1, text.length - column + 1)))
  return [
    `${paint.dim(`${file}:${line}:${column}`)} ${paint.bold(message)}`,
    paint.dim(`${gutter} |`),
    `${paint.dim(`${line} |`)} ${text}`,
    `${paint.dim(`${gutter} |`)} ${indent}${paint.wrong(underline)}`,
    ...(hint ? [`${paint.dim(`${gutter} =`)} ${paint.hint(hint)}`] : []),
    '',
  ].join('\n')
}

function countOf(mistakes: readonly Mistake[]): string {
  const files = new Set(mistakes.map(({ file }) => file))
  const [first = 'the file'] = files
  const place = files.size > 1 ? `${files.size} files` : first
  return mistakes.length === 1 ? `1 mistake in ${place}.` : `${mistakes.length} mistakes in ${place}.`
}
