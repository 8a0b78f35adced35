// Reads the Markdown of `twain print --contract`: its tables and its sentences.

export interface PrintedContract {
  /** The rows of the table below these heads, in order. */
  table(...heads: string[]): string[][]
  /** The table of the fields of a type. */
  fieldsOf(type: string): { name: string; presence: string }[]
  /** `scores(limit: Int! = 20): [Score!]!` of the tables of GraphQL operations. */
  operations: string[]
  /** All sentences outside of tables and code blocks, with the number of their part. */
  sentences: { part: string; text: string }[]
}

export function readContract(text: string): PrintedContract {
  const lines = text.replaceAll(/```[\s\S]*?```/g, '').split('\n')
  let part = ''
  const sentences: PrintedContract['sentences'] = []
  for (const line of lines) {
    const heading = /^#+ ([\d.]+?)\.? /.exec(line)
    if (heading !== null) part = heading[1]!
    else if (line !== '' && !line.startsWith('|') && !line.startsWith('**') && !line.startsWith('#')) {
      sentences.push({ part, text: line.replace(/^\d+\. /, '') })
    }
  }
  const tableFrom = (heads: string[], from: number) => {
    const start = lines.indexOf(`| ${heads.join(' | ')} |`, from)
    if (start < 0) return []
    const end = lines.findIndex((line, index) => index > start && !line.startsWith('|'))
    return lines.slice(start + 2, end).map(cellsOf)
  }
  const startOf = (title: string) => lines.findIndex((line) => line.startsWith(`**${title}**`))
  return {
    sentences,
    table: (...heads) => tableFrom(heads, 0),
    fieldsOf(type) {
      const rows = tableFrom(['Field', 'Type', 'Presence', 'Notes'], startOf(type))
      return rows.map(([name = '', , presence = '']) => ({ name: name.replaceAll('`', ''), presence }))
    },
    operations: ['Query', 'Mutation', 'Subscription'].flatMap((root) =>
      tableFrom(['Field', 'Purpose'], startOf(root)).map(([field = '']) => field.replaceAll('`', '')),
    ),
  }
}

/** The sentence that begins so. */
export function sentenceOf({ sentences }: PrintedContract, start: string): string {
  const found = sentences.find(({ text }) => text.startsWith(start))
  if (found === undefined) throw new Error(`The contract has no sentence "${start}…"`)
  return found.text
}

/** The names in backquotes. */
export function namesIn(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, name]) => name!)
}

const units: Record<string, number> = { second: 1, minute: 60, hour: 3600, day: 86_400 }

/** The milliseconds of a duration such as `15 minutes`, which comes after these words. */
export function durationIn(text: string, words: string): number {
  const [, count, unit = ''] = /^ (\d+) (second|minute|hour|day)s?\b/.exec(text.split(words)[1] ?? '') ?? []
  if (count === undefined) throw new Error(`There is no duration after "${words}" in: ${text}`)
  return Number(count) * units[unit]! * 1000
}

function cellsOf(line: string): string[] {
  const cells = line.slice(2, -2).split(/ (?<!\\)\| /)
  return cells.map((cell) => cell.trim().replaceAll('\\|', '|'))
}

/** One line of the table of REST paths. */
export interface RestLine {
  method: string
  path: string
  parameters: string[]
  /** The possible bodies: names with their marks `*` and `(*)`. */
  bodies: { name: string; mark: '' | '*' | '(*)' }[][]
  success: string[]
  withoutToken: string
}

export function restLines(contract: PrintedContract): RestLine[] {
  const rows = contract.table('Method', 'Path', 'Purpose', 'Parameters and body', 'Success', 'Without a token')
  return rows.map(([method = '', path = '', , input = '', success = '', withoutToken = '']) => {
    const [parameters = '', body = ''] = /^(.*?)(?:; )?(?:body: (.*))?$/.exec(input)?.slice(1) ?? []
    return {
      method,
      path: path.replaceAll('`', ''),
      parameters: [...parameters.matchAll(/`([^`]+)`/g)].map(([, name]) => name!),
      bodies: (body ?? '') === '' ? [] : body.split(' or ').map(membersOf),
      success: success.split(', '),
      withoutToken,
    }
  })
}

function membersOf(text: string): RestLine['bodies'][number] {
  return [...text.matchAll(/`([^`*(]+)(\*|\(\*\))?`/g)].map(([, name, mark = '']) => ({
    name: name!,
    mark: mark as '' | '*' | '(*)',
  }))
}
