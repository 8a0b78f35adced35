// Pieces of a Markdown text.

export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [heads, heads.map(() => '---'), ...rows.map((cells) => cells.map(cell))]
  return lines.map((cells) => `| ${cells.join(' | ')} |\n`).join('')
}

/** On one line, with escaped bars. */
function cell(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ' ').replaceAll('|', '\\|')
}

export function numbered(sentences: readonly string[]): string {
  return sentences.map((sentence, index) => `${index + 1}. ${sentence}\n`).join('')
}

export const code = (text: string): string => (text === '' ? '' : `\`${text}\``)

/** A description on one line. */
export function inline(text: string | null): string {
  return (text ?? '').replaceAll(/\s+/g, ' ').trim()
}

export function printDuration(seconds: number): string {
  for (const [unit, name] of units) if (seconds >= unit && seconds % unit === 0) return printCount(seconds / unit, name)
  return printCount(seconds, 'second')
}

const units: [number, string][] = [
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
]

function printCount(count: number, name: string): string {
  return `${count} ${name}${count === 1 ? '' : 's'}`
}
