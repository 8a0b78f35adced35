// Stories: requests and their answers, in `story` blocks of a Markdown file, one a line:
//
//     ann POST /notes {"text": "Hello"} → 201 {"author": "{ann}"} as note
//
// Each section (`## Title`) is a story with data of its own.

export interface Story {
  title: string
  steps: readonly StoryStep[]
}

export interface StoryStep {
  text: string
  /** From 1, in its file. */
  line: number
  /** `anonymous`, a person, or `operator:ROLE`. */
  who: string
  method: string
  path: string
  /** JSON text, or nothing. */
  body: string
  status: number
  /** JSON text that the answer has at least, with `absent` for a member that it must not have; or nothing. */
  answer: string
  /** The name under which later steps refer to the id of the answer. */
  as: string | null
}

export interface StoryFile {
  stories: readonly Story[]
  /** With the numbers of their lines. */
  mistakes: readonly string[]
}

const form = /^([\w:+-]+) +([A-Z]+) +(\S+)(?: +([[{].*[\]}]))? +(?:→|->) +(\d{3})(?: +([[{].*[\]}]))?(?: +as +(\w+))?$/

export function readStories(text: string): StoryFile {
  const stories: { title: string; steps: StoryStep[] }[] = []
  const mistakes: string[] = []
  let title = ''
  let isNew = true
  let fence: string | null = null
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const [, mark] = /^```(\w*)/.exec(line) ?? []
    if (mark !== undefined) fence = fence === null ? mark : null
    else if (fence === null && /^#{1,2} /.test(line)) {
      title = line.replace(/^#+ /, '')
      isNew = true
    } else if (fence === 'story' && line.trim() !== '' && !line.startsWith('#')) {
      const step = readStep(line.trim(), index + 1)
      if (step === null) {
        mistakes.push(`${index + 1}: "${line.trim()}" is no step. Write: ann POST /notes {"text": "Hello"} → 201`)
        continue
      }
      if (isNew) stories.push({ title, steps: [] })
      isNew = false
      stories.at(-1)!.steps.push(step)
    }
  }
  return { stories, mistakes }
}

function readStep(text: string, line: number): StoryStep | null {
  const [, who, method, path, body = '', status, answer = '', as = null] = form.exec(text) ?? []
  if (who === undefined || method === undefined || path === undefined) return null
  return { text, line, who, method, path, body, status: Number(status), answer, as }
}

/** The people whose ids a step needs: `{ann}`. */
export function namesIn({ path, body, answer }: StoryStep): string[] {
  return [...`${path} ${body} ${answer}`.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
}

const absent = '\u0000absent'

/** Whether the answer has all expected members. It may have more members, but no more list items. Throws a SyntaxError if the
 *  expectation is no JSON. */
export function fits(value: unknown, expected: string): boolean {
  if (expected === '') return true
  return has(value, JSON.parse(expected.replace(/: absent\b/g, `: ${JSON.stringify(absent)}`)))
}

function has(value: unknown, expected: unknown): boolean {
  if (expected === absent) return value === undefined
  if (Array.isArray(expected)) {
    const isSameLength = Array.isArray(value) && value.length === expected.length
    return isSameLength && expected.every((item, index) => has(value[index], item))
  }
  if (typeof expected !== 'object' || expected === null) return value === expected
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(expected).every(([name, item]) => has((value as Record<string, unknown>)[name], item))
}
